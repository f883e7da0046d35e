-- Most bodies are JSON that says the same to everybody. To keep its values beside it took more time and space than all
-- else of a letter.
alter table extracts add column body_is_json boolean not null default false;
comment on column extracts.body_is_json is
    'Whether the body of the last arrival is JSON whose values are not kept here a second time.';

-- Only for bodies of which it is known that they are JSON that Postgres reads as everybody does.
create function json_of(body bytea) returns jsonb language sql immutable parallel safe as $$
    select convert_from(body, 'UTF8')::jsonb
$$;
comment on function json_of is 'The values of a body that is JSON.';
