use serde_json::json;

use super::*;

#[test]
fn an_object_tells_its_class_and_what_is_private() {
    let job = b"O:8:\"App\\Mail\":4:{s:12:\"\0App\\Mail\0id\";i:88412;s:5:\"queue\";s:4:\"mail\";\
                s:8:\"\0*\0tries\";i:3;s:9:\"\0Base\0key\";N;}";
    let told = json!({
        "$class": "App\\Mail", "id": 88412, "queue": "mail", "tries": 3, "Base::key": null,
        "$private": ["id", "Base::key"], "$protected": ["tries"]
    });
    assert_eq!(read(job), Ok(told));
}

#[test]
fn slashes_that_were_put_in_are_taken_out() {
    // What `addslashes(serialize($placed))` gave in PHP 8.2.
    let placed = br#"O:10:\"App\\Placed\":3:{s:14:\"\0App\\Placed\0id\";i:42;s:7:\"\0*\0note\";s:13:\"it\'s \"late\"\\x\";s:4:\"tags\";a:1:{s:1:\"a\";N;}}"#;
    let told = json!({
        "$class": "App\\Placed", "id": 42, "note": "it's \"late\"\\x", "tags": {"a": null},
        "$private": ["id"], "$protected": ["note"]
    });
    assert_eq!(read(placed), Ok(told));
    assert!(read(&placed[..placed.len() - 2]).is_err());
}

#[test]
fn every_kind_of_value_is_read() {
    for (text, told) in [
        (&b"a:2:{i:0;b:1;i:1;d:0.5;}"[..], json!([true, 0.5])),
        (b"a:2:{i:1;b:0;s:1:\"k\";d:-INF;}", json!({"1": false, "k": "-inf"})),
        (b"s:2:\"\xff\0\";", json!({"$base64": "/wA="})),
        (b"E:9:\"Suit:Clubs\";", json!(null)),
        (b"E:10:\"Suit:Clubs\";", json!({"$enum": "Suit:Clubs"})),
        (b"C:1:\"X\":3:{a:b}", json!({"$class": "X", "$serialized": "a:b"})),
        (b"a:2:{i:0;O:1:\"X\":0:{}i:1;r:2;}", json!([{"$class": "X"}, {"$reference": 2}])),
    ] {
        let read = read(text).unwrap_or_default();
        assert_eq!(read, told, "{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn what_is_cut_or_claims_too_much_is_refused() {
    let whole = b"a:2:{s:1:\"a\";i:1;i:5;O:1:\"X\":1:{s:1:\"b\";N;}}";
    assert!(read(whole).is_ok());
    for cut in 0..whole.len() {
        assert!(read(&whole[..cut]).is_err(), "{cut}");
    }
    for text in ["a:99999999999:{}", "s:18446744073709551615:\"a\";", "a:-1:{}", "x:1;", "i:1;i:2;"]
    {
        assert!(read(text.as_bytes()).is_err(), "{text}");
    }
    let deep = "a:1:{i:0;".repeat(100) + &"}".repeat(100);
    assert!(read(deep.as_bytes()).is_err());
}

/// What PHP 8.2 wrote of an object with members of every visibility, and of an ancestor.
const JOB: &[u8] =
    b"O:8:\"App\\Mail\":5:{s:12:\"\0App\\Mail\0id\";i:88412;s:5:\"queue\";s:4:\"mail\";\
    s:8:\"\0*\0tries\";i:3;s:9:\"\0Base\0key\";N;s:4:\"rate\";d:0.1;}";

fn written(body: &[u8], after: &Value) -> Result<String, String> {
    write(body, after).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

#[test]
fn what_is_the_same_is_written_as_it_was() {
    let all =
        b"a:9:{i:0;b:1;i:1;d:0.10000000000000001;i:2;s:2:\"\xff\0\";i:3;E:10:\"Suit:Clubs\";i:4;N;\
        i:5;C:1:\"X\":3:{a:b}i:6;O:1:\"X\":0:{}i:7;R:7;s:1:\"k\";d:-INF;}";
    for body in [JOB, all, b"s:3:\"abc\";", b"a:0:{}", b"a:1:{s:1:\"\xff\";i:1;}"] {
        assert_eq!(write(body, &read(body).expect("read")).as_deref(), Ok(body));
    }
}

#[test]
fn what_changed_is_of_the_kind_and_visibility_that_it_was() {
    let mut after = read(JOB).expect("read");
    after["id"] = json!(7.0);
    after["tries"] = json!("four");
    after["rate"] = json!(2);
    after["Base::key"] = json!([1, {"a": true, "5": null}]);
    after["new"] = json!({"$class": "B", "x": {"$enum": "S:C"}});
    let wanted = "O:8:\"App\\Mail\":6:{s:12:\"\0App\\Mail\0id\";i:7;s:5:\"queue\";s:4:\"mail\";\
        s:8:\"\0*\0tries\";s:4:\"four\";s:9:\"\0Base\0key\";a:2:{i:0;i:1;i:1;a:2:{i:5;N;s:1:\"a\";b:1;}}\
        s:4:\"rate\";d:2;s:3:\"new\";O:1:\"B\":1:{s:1:\"x\";E:3:\"S:C\";}}";
    assert_eq!(written(JOB, &after).as_deref(), Ok(wanted));
    let list = b"a:2:{i:0;s:1:\"a\";i:1;s:2:\"\xc3\xa4\";}";
    let longer = "a:3:{i:0;s:1:\"a\";i:1;s:2:\"b2\";i:2;s:2:\"ä\";}";
    assert_eq!(written(list, &json!(["a", "b2", "ä"])).as_deref(), Ok(longer));
    let other_class = "O:1:\"Z\":1:{s:2:\"id\";i:1;}";
    assert_eq!(
        written(JOB, &json!({"$class": "Z", "id": 1})).as_deref(),
        Ok(other_class),
        "an object of another class has nothing of this one"
    );
}

#[test]
fn references_go_on_to_mean_what_they_meant() {
    let body = b"a:3:{i:0;O:1:\"X\":0:{}i:1;r:2;i:2;i:5;}";
    let [object, reference] = [json!({"$class": "X"}), json!({"$reference": 2})];
    let wanted = "a:3:{i:0;O:1:\"X\":0:{}i:1;r:2;i:2;i:6;}";
    assert_eq!(written(body, &json!([object, reference, 6])).as_deref(), Ok(wanted));
    for after in [
        json!([object, reference, [6]]),
        json!([object, 1, 5]),
        json!([0, object, reference, 5]),
        json!([[1], object, reference]),
    ] {
        assert!(written(body, &after).expect_err("a refusal").contains("references"), "{after}");
    }
    let named = b"a:3:{s:1:\"a\";i:1;s:1:\"b\";O:1:\"X\":0:{}s:1:\"c\";r:3;}";
    let other = json!({"b": object, "c": {"$reference": 3}, "d": 1});
    assert!(written(named, &other).is_err(), "the object is the second value then");
    let none = b"a:1:{i:0;i:5;}";
    assert!(written(none, &json!([{"$reference": 1}])).is_err());
}

#[test]
fn slashes_are_put_in_again() {
    let body =
        br#"O:10:\"App\\Placed\":2:{s:14:\"\0App\\Placed\0id\";i:42;s:1:\"a\";s:4:\"it\'s\";}"#;
    let mut after = read(body).expect("read");
    assert_eq!(write(body, &after).as_deref(), Ok(&body[..]));
    after["id"] = json!(43);
    let wanted = String::from_utf8_lossy(body).replace("i:42", "i:43");
    assert_eq!(written(body, &after), Ok(wanted));
}
