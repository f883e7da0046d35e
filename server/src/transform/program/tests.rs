//! What programs are read, and what they make of values.

use super::*;

fn asked(program: &str, body: &str) -> Result<Asked, String> {
    let program = Program::read(program).unwrap_or_else(|fault| panic!("{fault:?}"));
    program.ask(body.as_bytes())
}

fn changed(program: &str, body: &str) -> String {
    match asked(program, body) {
        Ok(Asked::Changed(bytes)) => String::from_utf8(bytes).expect("as the test arranged it"),
        other => panic!("{other:?}"),
    }
}

fn fault(program: &str) -> Fault {
    Program::read(program).err().expect("a fault")
}

#[test]
fn a_value_is_changed() {
    assert_eq!(changed(".a = 2", r#"{"a":1,"b":"x"}"#), r#"{"a":2,"b":"x"}"#);
    assert_eq!(changed("del(.b)", r#"{"a":1,"b":2,"c":3}"#), r#"{"a":1,"c":3}"#);
    assert_eq!(
        changed(r#".at |= sub("T.*"; "")"#, r#"{"at":"2026-01-02T03:04"}"#),
        r#"{"at":"2026-01-02"}"#
    );
    assert_eq!(changed("map(. + 1) | add", "[1,2]"), "5");
}

#[test]
fn what_is_not_touched_comes_out_as_it_went_in() {
    let body = concat!(
        r#"{"order":9007199254740993,"huge":123456789012345678901234567890,"price":1.10,"#,
        r#""tiny":1e-7,"exp":1E+30,"zero":-0.0,"z":1,"a":2,"text":"é\u2028"}"#
    );
    let made = changed(".z = 3", body);
    for part in [
        r#""order":9007199254740993"#,
        r#""huge":123456789012345678901234567890"#,
        r#""price":1.10"#,
        r#""tiny":1e-7"#,
        r#""exp":1E+30"#,
        r#""zero":-0.0"#,
        r#""z":3,"a":2"#,
    ] {
        assert!(made.contains(part), "{part} in {made}");
    }
    assert_eq!(asked(".", body), Ok(Asked::Same));
    assert_eq!(asked("if .z == 9 then .z = 0 end", body), Ok(Asked::Same));
    assert_eq!(asked(".", " { \"a\" : 1.0 } "), Ok(Asked::Same));
    // The same to a machine, and yet another text.
    assert_eq!(changed(".a = 1", r#"{"a":1.0}"#), r#"{"a":1}"#);
}

#[test]
fn what_gives_no_single_value_is_told() {
    for (program, body, says) in [
        ("empty", "1", "nothing"),
        (".[]", "[1,2]", "more than one"),
        (".a", "[1]", "fails"),
        (r#"error("no such customer")"#, "1", "no such customer"),
        ("1, error(\"late\")", "1", "late"),
        (".", "a=1&b=2", "is not valid JSON"),
        (".", r#"{"a":1,"a":2}"#, "two members `a`"),
        ("nan", "1", "gives invalid JSON"),
        ("infinite", "1", "gives invalid JSON"),
        (r#""a" * 20000000"#, "1", "too large"),
    ] {
        let why = asked(program, body).expect_err(program);
        assert!(why.contains(says), "{program}: {why}");
    }
    let long = format!("error(\"{}\")", "x".repeat(10_000));
    assert!(asked(&long, "1").expect_err("an error").len() < 500);
}

#[test]
fn a_mark_of_utf_8_is_no_part_of_the_value_and_stays() {
    let program = |text| Program::read(text).expect("a program");
    let marked = b"\xef\xbb\xbf{ \"a\": 1 }";
    assert_eq!(program(".").ask(marked), Ok(Asked::Same));
    let changed = b"\xef\xbb\xbf{\"a\":2}".to_vec();
    assert_eq!(program(".a = 2").ask(marked), Ok(Asked::Changed(changed)));
    let twice = b"\xef\xbb\xbf\xef\xbb\xbf1";
    assert!(program(".").ask(twice).unwrap_err().contains("is not valid JSON"));
}

#[test]
fn a_fault_has_its_place() {
    for (program, position, length) in [
        (".\"é\" | .a ++ 1", 10, 2),
        (".a | nosuch(1)", 5, 6),
        ("\"open", 5, 0),
        (".a | $x", 5, 2),
        (".\"é\" # \0\0", 7, 1),
    ] {
        let fault = fault(program);
        assert_eq!((fault.position, fault.length), (position, length), "{program}: {fault:?}");
        assert!(!fault.why.is_empty());
    }
}

#[test]
fn nothing_reaches_out() {
    for program in [
        "env",
        "$ENV",
        "env.HOME",
        "input",
        "[inputs]",
        "halt",
        "halt_error",
        "debug",
        "stderr",
        "include \"x\"; .",
        "import \"x\" as x; .",
        "import \"x\" as $x; $x",
        "$__prog_args",
        "input_filename",
    ] {
        assert!(Program::read(program).is_err(), "{program}");
    }
}
