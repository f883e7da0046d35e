//! Whether what stands in a form is still what its page was made of.

use wasm_bindgen::JsCast;
use web_sys::{HtmlFormElement, HtmlInputElement};

/// Fields that a person can change. A text area has the members of an input that are asked for here.
const FIELDS: &str = "input, textarea";

/// Whether a person changed a field since the page was made. Whoever changes it back has changed nothing.
pub(crate) fn is_edited(form: &HtmlFormElement) -> bool {
    let Ok(fields) = form.query_selector_all(FIELDS) else {
        return false;
    };
    (0..fields.length())
        .filter_map(|index| fields.get(index))
        .map(JsCast::unchecked_into::<HtmlInputElement>)
        .any(|field| is_field_edited(&field))
}

fn is_field_edited(field: &HtmlInputElement) -> bool {
    if matches!(&*field.type_(), "checkbox" | "radio") {
        return field.checked() != field.default_checked();
    }
    let (value, default) = (field.value(), field.default_value());
    // A text area that begins with an end of a line shows none.
    value != default && Some(&*value) != default.strip_prefix('\n')
}
