//! The command queue of a PHP application: a daemon hands each form-encoded body to PHP-FPM.
//! The script answers FAILED with an exception, or REJECTED without a word.

use super::{Desk, Failure, Publication, Reading, Report};
use crate::fleet::message::text;
use crate::fleet::reports::Dialect;
use crate::fleet::topology;
use lapin::types::AMQPValue;

const FORM: &str = "application/x-www-form-urlencoded";

pub(super) fn compose(failure: Option<Failure>, desk: &mut Desk) -> Publication {
    let message = Publication::new("", topology::COMMANDS);
    let number = desk.dice.number(1, 50_000);
    let daemon = format!("D-{:03}", desk.dice.number(1, 100));
    let message = match failure {
        Some(Failure::EmptyCommand) => message.body(FORM, ""),
        Some(Failure::NulInPath) => {
            message.body("text/plain", format!("/var/uploads/{number}\0.php\nünïcode line two\n"))
        }
        Some(Failure::WrongArgument) => message.body(
            FORM,
            format!(
                "number={number}&command=transfer&account=AC{}&amount=&daemonId={daemon}",
                number + 7000
            ),
        ),
        Some(Failure::Deadlock) => message.body(
            FORM,
            format!(
                "number={number}&command=reindex&table=products&batch={}&daemonId={daemon}",
                number % 97
            ),
        ),
        _ => message.body(
            FORM,
            format!(
                "number={number}&command=transfer&account=AC{}&amount={}.50&daemonId={daemon}",
                number + 7000,
                number % 400
            ),
        ),
    };
    let message = message
        .header("x-daemon", text(&daemon))
        .header("x-number", AMQPValue::LongLongInt(number))
        .header("x-nice", AMQPValue::ShortShortUInt(10));
    let message = match failure {
        // PHP strings are bytes: a NUL and Latin-1 travel in headers as they do in bodies.
        Some(Failure::NulInPath) => {
            message.header("x-path", text(format!("/var/uploads/{number}\0.php")))
        }
        Some(Failure::WrongArgument) => {
            message.header("x-holder", AMQPValue::LongString(b"M\xfcller".to_vec().into()))
        }
        _ => message,
    };
    desk.dress(message, "php-daemon", "Command", "7.1.0")
}

pub(super) fn diagnose(reading: &Reading) -> Option<Failure> {
    if reading.body.is_empty() {
        return Some(Failure::EmptyCommand);
    }
    if reading.body.contains(&0) {
        return Some(Failure::NulInPath);
    }
    if reading.is("/command", "transfer") && reading.field("/amount").is_empty() {
        return Some(Failure::WrongArgument);
    }
    reading.is("/command", "reindex").then_some(Failure::Deadlock)
}

pub(super) fn report(failure: Failure, reading: &Reading) -> Option<Report> {
    let (class, message, frame) = match failure {
        Failure::Deadlock => (
            "PDOException",
            format!(
                "SQLSTATE[40001]: Serialization failure: 1213 Deadlock found when trying to get lock; try restarting transaction (batch {})",
                reading.field("/batch")
            ),
            "/vagrant/src/Indexer.php(118): PDOStatement->execute()",
        ),
        Failure::WrongArgument => (
            "TypeError",
            format!(
                "Transfer::__construct(): Argument #2 ($amount) must be of type float, string given for command {}",
                reading.field("/number")
            ),
            "/vagrant/src/Transfer.php(23): Transfer->__construct()",
        ),
        Failure::NulInPath => (
            "ValueError",
            "file_get_contents(): Argument #1 ($filename) must not contain any null bytes"
                .to_owned(),
            "/vagrant/src/Upload.php(77): file_get_contents()",
        ),
        _ => return None,
    };
    let trace = format!(
        "#0 {frame}\n#1 /vagrant/src/MyWorker.php(42): MyWorker->doStuff(Array)\n#2 /vagrant/src/worker.php(19): MyWorker->run()\n#3 {{main}}"
    );
    Some(Report { class, message, trace, dialect: Dialect::Php })
}
