//! RabbitMQ: one broker from the variables, named `main`, or several from the file.

use std::time::Duration;

use lapin::uri::AMQPUri;

use crate::broker::{BrokerAddress, Brokers};

use super::fault::Place;
use super::file::Reader;

const MAIN: &str = "main";

/// `patience` is how long a management API may take for what somebody waits for.
pub(super) fn read(reader: &mut Reader<'_>, needed: bool, patience: Duration) -> Brokers {
    let mut brokers = Brokers::default();
    let mut named = false;
    for mut table in reader.tables("brokers") {
        named = true;
        let place = reader.place_of(&table);
        let name =
            reader.setting(&mut table, "name", None, name).unwrap_or_else(|| MAIN.to_owned());
        let says_url = table.names("url");
        let url = reader.setting(&mut table, "url", None, amqp);
        let management = reader.setting(&mut table, "management_url", None, management);
        reader.close(table);
        if !says_url {
            reader.fault(place.clone(), format!("the broker `{name}` has no url: {AMQP_HELP}"));
        }
        let amqp = url.unwrap_or_default();
        let address = BrokerAddress { amqp, management, patience };
        if brokers.0.insert(name.clone(), address).is_some() {
            reader.fault(place, format!("two brokers are named `{name}`: give each its own name"));
        }
    }
    named |= reader.has("DLO_BROKER_URL");
    overlay(reader, &mut brokers, patience);
    if needed && !named {
        let why =
            format!("no broker is named: set DLO_BROKER_URL, or url in [[brokers]]; {AMQP_HELP}");
        reader.fault(Place::Whole, why);
    }
    brokers
}

/// The variables name the broker `main`, and win over the file.
fn overlay(reader: &mut Reader<'_>, brokers: &mut Brokers, patience: Duration) {
    if let Some(amqp) = reader.variable("DLO_BROKER_URL", amqp) {
        let entry = brokers.0.entry(MAIN.to_owned()).or_insert(BrokerAddress {
            amqp: String::new(),
            management: None,
            patience,
        });
        entry.amqp = amqp;
    }
    let Some(url) = reader.variable("DLO_MANAGEMENT_URL", management) else {
        return;
    };
    match brokers.0.get_mut(MAIN) {
        Some(broker) => broker.management = Some(url),
        None if reader.has("DLO_BROKER_URL") => {}
        None => {
            let place = Place::Variable("DLO_MANAGEMENT_URL".to_owned());
            reader.fault(
                place,
                "belongs to the broker `main`, which is not named: set DLO_BROKER_URL too",
            );
        }
    }
}

fn name(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("a broker's name is empty".to_owned()),
        name => Ok(name.to_owned()),
    }
}

const AMQP_HELP: &str = "write it as amqp://user:password@host:5672/%2f";

fn amqp(text: &str) -> Result<String, String> {
    text.parse::<AMQPUri>()
        .map(|_| text.to_owned())
        // The text itself may hold a password, so it is not repeated.
        .map_err(|why| format!("this is not an address of a RabbitMQ ({why}): {AMQP_HELP}"))
}

fn management(text: &str) -> Result<String, String> {
    let help = "write it as http://user:password@host:15672";
    match reqwest::Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
            Ok(text.trim_end_matches('/').to_owned())
        }
        _ => Err(format!("this is not an address of a management API: {help}")),
    }
}
