//! The basic properties of a message.

use serde::{Deserialize, Serialize};

use super::text::WireText;

/// The basic properties beside the headers. A member that the message did not carry is absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct Properties {
    /// MIME type of the body, as its sender says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<WireText>,
    /// `gzip`, `base64`, …: free text by agreement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_encoding: Option<WireText>,
    /// 1 transient, 2 persistent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery_mode: Option<u8>,
    /// 0–255; what it means depends on the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// Ties a reply to its request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<WireText>,
    /// Where a reply is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<WireText>,
    /// Time to live in milliseconds, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiration: Option<WireText>,
    /// The sender's id: may be missing, doubled or reused, so it is never a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<WireText>,
    /// Seconds since 1970, as the sender says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<u64>,
    /// The message type's name.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<WireText>,
    /// Checked by the broker against the publishing connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<WireText>,
    /// The sending application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_id: Option<WireText>,
    /// Deprecated in 0.9.1, carried along.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster_id: Option<WireText>,
}
