-- API tokens. The token itself is shown once and never stored: its SHA-256 is enough, since it
-- holds 256 random bits.
create table tokens (
    id uuid primary key,
    name text not null unique,
    role text not null check (role in ('viewer', 'operator', 'admin')),
    secret_sha256 bytea not null unique,
    created_at timestamptz not null,
    revoked_at timestamptz
);
