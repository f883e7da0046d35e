//! Brokers that tell no figures.

mod figureless;
