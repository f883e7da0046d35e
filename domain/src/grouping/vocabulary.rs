//! The words that the masks and the miner know. Each list is a statement about any log in English,
//! never about one program's.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::mask::has_humps;
use super::words::Words;

/// The words that programs speak of their failures with: those of at least five of the message catalogues of Debian
/// 12's programs, and those of services and queues. What is not among them is more likely a name.
static LANGUAGE: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("language.txt").split_whitespace().collect());

/// Units that belong to the number before them. `5 ms` and `2 s` are values of one variable.
static UNITS: Words = Words::new(
    "ms s bytes mb kb gb seconds b sec tb pb kib mib gib tib k m g byte kbytes mbytes bit bits ns \
     us µs msec msecs secs second min mins minute minutes h hr hrs hour hours d day days week \
     weeks month months year years millis millisecond milliseconds microseconds nanoseconds hz \
     khz mhz ghz pct",
);

/// Currencies, which are units as well: the most traded ones.
static CURRENCIES: Words = Words::new(
    "EUR USD GBP JPY CHF CNY AUD CAD NZD SEK NOK DKK PLN CZK HUF RON TRY RUB UAH INR BRL MXN ZAR \
     KRW SGD HKD THB IDR ILS AED SAR BTC ETH",
);

static MONTHS: Words = Words::new(
    "jan feb mar apr may jun jul aug sep oct nov dec january february march april june july \
     august september october november december",
);

static WEEKDAYS: Words = Words::new(
    "mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday",
);

/// What may follow a time of day.
static ZONES: Words =
    Words::new("am pm z utc gmt est edt cst cdt mst mdt pst pdt cet cest bst ist");

/// Values that are written as words.
static FLAGS: Words = Words::new("true false null nil none undefined nan (null) infinity");

/// Words for on and off.
static STATES: Words = Words::new("on off yes no ok true false");

/// Names with digits in them that are words all the same.
static NUMBERED_WORDS: Words = Words::new(
    "utf8 utf-8 utf16 utf-16 utf32 latin1 iso8601 iso-8601 rfc3339 base64 base32 md5 sha1 sha-1 \
     sha256 sha-256 sha384 sha512 sha-512 hs256 rs256 es256 ed25519 ipv4 ipv6 http2 http3 h2 \
     oauth2 s3 ec2 k8s x509 x.509 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 \
     float64 i32 i64 u32 u64 x86_64 log4j",
);

/// Last labels of host names. Country codes that are English words or file endings are left out.
static TOP_DOMAINS: Words = Words::new(
    "com net org edu gov mil info biz arpa io local internal localdomain lan corp svc uk de fr jp \
     cn ru br nl se dk fi es eu us ca au nz ch tw kr hk sg mx ar cl cz hu gr pt ro tr ua il za th \
     vn ir sk bg hr",
);

/// Second labels under a country's code: `example.co.nz`.
static SECOND_DOMAINS: Words = Words::new("co com edu org net ac gov or");

/// Ports that services are known by: `redis:6379` is an address, `rank:3` is not.
const PORTS: [u16; 53] = [
    21, 22, 25, 53, 80, 389, 443, 445, 465, 587, 636, 993, 1433, 1521, 1883, 2181, 2379, 3000,
    3306, 3389, 4222, 4317, 5000, 5432, 5601, 5671, 5672, 6379, 6650, 7000, 7687, 8000, 8080, 8081,
    8086, 8123, 8200, 8443, 8500, 8888, 9000, 9042, 9090, 9092, 9200, 9300, 11211, 15672, 15692,
    26379, 27017, 50051, 61616,
];

/// First labels of package names, which read like host names otherwise.
static PACKAGE_ROOTS: Words =
    Words::new("com org net io java javax jakarta sun system microsoft asp android scala kotlin");

static FILE_ENDINGS: Words = Words::new(
    "txt csv tsv json jsonl xml yaml yml toml log conf cfg ini properties dll exe so jar war zip \
     gz tar tgz bz2 xz zst 7z png jpg jpeg gif svg tif tiff pdf doc docx xls xlsx ppt pptx htm \
     html css js ts py rb php java go rs c cc cpp h hpp sh bat sql db sqlite parquet avro dat bin \
     tmp bak lock pem crt proto",
);

/// Keys whose values say what happened, so that they are never masked for being a value.
static TELLING_KEYS: Words = Words::new(
    "message msg error err errors reason cause detail details desc description title status state \
     code type kind level severity exception result outcome phase mode method action event op",
);

/// Nouns that are followed by the name of one.
static INTRODUCERS: Words = Words::new(
    "user username login account customer tenant client host hostname server node domain database \
     schema table relation column field key index constraint queue exchange topic channel vhost \
     stream bucket object file directory folder class module package function method property \
     attribute parameter argument variable service worker job task container pod namespace image \
     device interface named name group role model entity message event template locale collection \
     resource product sku warehouse region zone country currency language command operation \
     plugin driver extension endpoint route option setting header tag label branch repository \
     metric struct enum symbol token application app project team vendor",
);

/// Accounts that systems come with. A place that holds two of them holds accounts.
static ACCOUNTS: Words = Words::new(
    "root admin administrator guest nobody daemon mail ftp www-data postgres mysql oracle git \
     ubuntu uucp operator anonymous apache nginx jenkins sshd redis rabbitmq mongodb deploy \
     backup support",
);

/// Words that tell what happened or how it stands. Two messages that differ in one of them are two
/// failures, however many more of them there are.
static TELLING_WORDS: Words = Words::new(
    "abort absent accept active available bad before after begin break broken busy cannot cleanup \
     clear close commit complete connect connection corrupt create dead delete deny disable \
     disconnect done down drop duplicate empty enable end enter error exceed exist exists exit \
     expire fail failure fails fatal finish full get head high idle illegal inactive incoming \
     input insert install invalid kill launch leave load lock lost low max maximum min minimum \
     mismatch missing mount new no not off ok old on open outgoing output overflow patch pause \
     permission post push put read ready receive refuse register reject remote remove request \
     reset response restart resume retry rollback run send shutdown start startup stop success \
     suspend timeout underflow unknown up update wait write select",
);

/// Endings of participles and adjectives, which tell what happened as well.
static TELLING_ENDINGS: Words = Words::new("ed able ible less fully");

/// Endings of the names of fields: `created_at`.
static FIELD_ENDINGS: Words = Words::new("_at _by _on _id _count _name _key");

/// Endings of the names of failures.
static TELLING_NAMES: Words =
    Words::new("Exception exception Error error Failure failure Fault fault");

pub(super) fn is_unit(word: &str) -> bool {
    UNITS.has(word)
}

/// Currencies are written in capitals; `try` is none.
pub(super) fn is_currency(word: &str) -> bool {
    !word.bytes().any(|b| b.is_ascii_lowercase()) && CURRENCIES.has(word)
}

pub(super) fn is_month(word: &str) -> bool {
    MONTHS.has(word)
}

pub(super) fn is_weekday(word: &str) -> bool {
    WEEKDAYS.has(word)
}

pub(super) fn is_zone(word: &str) -> bool {
    ZONES.has(word)
}

pub(super) fn is_flag(word: &str) -> bool {
    FLAGS.has(word)
}

/// Words for on and off, which only a list of them shows to be values.
pub(super) fn is_state(word: &str) -> bool {
    STATES.has(word)
}

pub(super) fn is_numbered_word(word: &str) -> bool {
    NUMBERED_WORDS.has(word)
}

pub(super) fn is_telling_key(word: &str) -> bool {
    TELLING_KEYS.has(word)
}

pub(super) fn is_introducer(word: &str) -> bool {
    INTRODUCERS.has(word)
}

pub(super) fn is_account(word: &str) -> bool {
    ACCOUNTS.has(word)
}

/// Words that a verb follows: `cannot open`.
static VERB_AUXILIARIES: Words = Words::new(
    "cannot can can't could couldn't did didn't does doesn't do don't must not shall should will \
     won't would wouldn't",
);

/// Words that a verb follows, with `to` between them: `failed to open`.
static VOLITIONS: Words = Words::new(
    "able allowed attempt attempted attempting attempts fail failed failing fails refused refusing \
     tried tries try trying unable want wanted wants",
);

pub(super) fn is_verb_auxiliary(word: &str) -> bool {
    VERB_AUXILIARIES.has(word)
}

pub(super) fn is_volition(word: &str) -> bool {
    VOLITIONS.has(word)
}

/// Whether a word, in small letters, belongs to the language of failures: it or its stem is listed, or each part of
/// one with dashes or slashes.
pub(super) fn is_language(word: &str) -> bool {
    word.split(['-', '/']).all(|part| part.is_empty() || is_listed(part))
}

fn is_listed(word: &str) -> bool {
    // `group's`, `doesn't`
    let word = word.split_once('\'').map_or(word, |(word, _)| word);
    let listed = |word: &str| LANGUAGE.contains(word) || TELLING_WORDS.has(word);
    let stems = ["ing", "ed", "es", "s", "ly"]
        .into_iter()
        .filter_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() >= 3));
    listed(word)
        || stems.into_iter().any(|stem| listed(stem) || LANGUAGE.contains(&*format!("{stem}e")))
}

/// Whether a word tells what happened, rather than to whom.
pub(super) fn is_telling(word: &str) -> bool {
    // A state is often spelled out: `FAILED_TO_START`.
    if word.contains('_') {
        if FIELD_ENDINGS.iter().any(|ending| word.ends_with(ending)) {
            return false;
        }
        let parts = || word.split('_').filter(|part| !part.is_empty());
        return parts().any(is_telling_part)
            && parts().all(|part| is_language(&part.to_ascii_lowercase()));
    }
    is_telling_part(word)
}

fn is_telling_part(word: &str) -> bool {
    TELLING_WORDS.has(word)
        || (!word.eq_ignore_ascii_case("default")
            && TELLING_NAMES.iter().any(|ending| word.ends_with(ending)))
        || (word.len() >= 5
            && !has_humps(word.as_bytes())
            && word.bytes().all(|b| b.is_ascii_alphabetic())
            && TELLING_ENDINGS.iter().any(|ending| word.ends_with(ending)))
}

pub(super) fn is_known_port(port: &str) -> bool {
    port.parse().is_ok_and(|port| PORTS.contains(&port))
}

/// Whether a dotted name is a host's.
pub(super) fn is_host(name: &str) -> bool {
    let (Some((first, _)), Some((_, last))) = (name.split_once('.'), name.rsplit_once('.')) else {
        return false;
    };
    let shouts = !name.bytes().any(|b| b.is_ascii_lowercase());
    let spelled_like_a_domain = shouts || !last.bytes().any(|b| b.is_ascii_uppercase());
    if !spelled_like_a_domain || PACKAGE_ROOTS.has(first) {
        return false;
    }
    let second = name.rsplit('.').nth(1).unwrap_or_default();
    let of_a_country = last.len() == 2 && last.bytes().all(|b| b.is_ascii_alphabetic());
    TOP_DOMAINS.has(last) || (of_a_country && SECOND_DOMAINS.has(second))
}

/// Whether a dotted name is a file's.
pub(super) fn is_file(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && FILE_ENDINGS.has(ending))
}
