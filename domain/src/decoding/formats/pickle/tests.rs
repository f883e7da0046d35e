//! Pickles as Python 3.11 writes them.

use serde_json::json;

use super::*;

fn of(hex: &str) -> Result<Value, String> {
    read(&hex::decode(hex).expect("hex"))
}

const PLAIN: [&str; 4] = [
    "286470300a5669640a70310a49370a73566e616d650a70320a566772f6df650a70330a73566e65670a70340a492d350a73566269670a70350a\
     4c313039393531313632373737364c0a7356687567650a70360a4c313138303539313632303731373431313330333432344c0a73566c6973740a\
     70370a286c70380a49310a614e614930310a6173567475706c650a70390a2856780a7031300a747031310a7356660a7031320a46312e350a73\
     2e",
    "7d7100285802000000696471014b0758040000006e616d65710258070000006772c3b6c39f65710358030000006e656771044afbffffff5803\
     00000062696771054c313039393531313632373737364c0a58040000006875676571064c313138303539313632303731373431313330333432\
     344c0a58040000006c69737471075d7108284b014e4930310a6558050000007475706c65710928580100000078710a74710b58010000006671\
     0c473ff8000000000000752e",
    "80027d7100285802000000696471014b0758040000006e616d65710258070000006772c3b6c39f65710358030000006e656771044afbffffff\
     580300000062696771058a0600000000000158040000006875676571068a0900000000000000004058040000006c69737471075d7108284b01\
     4e886558050000007475706c657109580100000078710a85710b580100000066710c473ff8000000000000752e",
    "80049572000000000000007d94288c026964944b078c046e616d65948c076772c3b6c39f65948c036e6567944afbffffff8c03626967948a06\
     0000000000018c0468756765948a090000000000000000408c046c697374945d94284b014e88658c057475706c65948c01789485948c016694\
     473ff8000000000000752e",
];

const ORDER: [&str; 3] = [
    "63636f70795f7265670a5f7265636f6e7374727563746f720a70300a286373686f700a4f726465720a70310a635f5f6275696c74696e5f5f0a\
     6f626a6563740a70320a4e7470330a5270340a286470350a5669640a70360a4934320a73566c696e65730a70370a286c70380a2856610a7039\
     0a49310a747031300a612856620a7031310a46322e350a747031320a6173622e",
    "80026373686f700a4f726465720a7100298171017d7102285802000000696471034b2a58050000006c696e657371045d710528580100000061\
     71064b0186710758010000006271084740040000000000008671096575622e",
    "80049544000000000000008c0473686f70948c054f726465729493942981947d94288c026964944b2a8c056c696e6573945d94288c0161944b\
     0186948c01629447400400000000000086946575622e",
];

#[test]
fn every_protocol_gives_the_same_values() {
    let told = json!({
        "id": 7, "name": "größe", "neg": -5, "big": 1_i64 << 40, "huge": "1180591620717411303424",
        "list": [1, null, true], "tuple": ["x"], "f": 1.5
    });
    for plain in PLAIN {
        assert_eq!(of(plain), Ok(told.clone()), "{plain}");
    }
}

#[test]
fn an_object_is_its_members_and_its_class() {
    let told = json!({"$class": "shop.Order", "id": 42, "lines": [["a", 1], ["b", 2.5]]});
    for order in ORDER {
        assert_eq!(of(order), Ok(told.clone()), "{order}");
    }
}

#[test]
fn what_would_be_called_is_told_and_not_called() {
    let ordered = "800263636f6c6c656374696f6e730a4f726465726564446963740a71002952710158010000006171024b01732e";
    assert_eq!(of(ordered), Ok(json!({"$class": "collections.OrderedDict", "a": 1})));
    let decimal = "80049523000000000000008c07646563696d616c948c07446563696d616c9493948c0531322e353094859452942e";
    assert_eq!(of(decimal), Ok(json!({"$class": "decimal.Decimal", "$arguments": ["12.50"]})));
    let harmful = b"cos\nsystem\n(S'rm -rf /'\ntR.";
    assert_eq!(read(harmful), Ok(json!({"$class": "os.system", "$arguments": ["rm -rf /"]})));
    assert_eq!(of("8004950c000000000000008f94288c046f6e6c7994902e"), Ok(json!(["only"])));
    assert_eq!(of("80049506000000000000004302ff00942e"), Ok(json!({"$base64": "/wA="})));
}

#[test]
fn what_is_in_itself_ends() {
    assert_eq!(of("80049506000000000000005d946800612e"), Ok(json!([{"$reference": 0}])));
    // A list of two that are the same list of two, and so on: 2^40 values.
    let mut bomb = b"]q\x00".to_vec();
    for level in 0..40_u8 {
        bomb.extend([b']', b'q', level + 1, b'(', b'h', level, b'h', level, b'e']);
    }
    bomb.push(b'.');
    let why = read(&bomb).expect_err("too many values");
    assert!(why.contains("values") || why.contains("deep"), "{why}");
}

#[test]
fn what_is_cut_or_wrong_is_refused() {
    let whole = hex::decode(ORDER[2]).expect("hex");
    for cut in 0..whole.len() {
        assert!(read(&whole[..cut]).is_err(), "{cut}");
    }
    for wrong in
        ["2e", "302e", "75", "4b01732e", "80045d75", "682a2e", "8004952e", "ff2e", "4b014b022e2e"]
    {
        assert!(of(wrong).is_err(), "{wrong}");
    }
}
