-- What merchants' servers asked of the API and were answered, kept for some days: for their developers, and for the story of a payment.
--
-- Written in sets off the way of a request. A row per request is narrow, so that lists read little; bodies, which are read one at a
-- time, lie packed beside it, those of a set together. Ids are made of the ids of requests, so that one leads to the other.

create table requests (
  merchant_id  uuid     not null,
  environment  text     not null,
  id           uuid     not null,
  key_id       uuid,
  method       text     not null,
  path         text     not null,
  status       smallint not null,
  duration_ms  integer  not null,
  address      text     not null,
  request_id   text,
  reference    text,
  resource_id  uuid,
  error_code   text,
  pack_id      uuid,
  pack_place   smallint,
  lost         integer,
  lost_until   timestamptz,
  constraint requests_pkey primary key (merchant_id, environment, id),
  constraint requests_environment_check check (environment in ('live', 'sandbox')),
  constraint requests_pack_check check ((pack_id is null) = (pack_place is null)),
  constraint requests_lost_check check ((lost is null) = (lost_until is null) and (lost is null) = (status <> 0)
    and (lost is null) = (key_id is not null))
);
create index requests_trouble_idx on requests (merchant_id, environment, id) where status not between 200 and 399;
create index requests_request_id_idx on requests (merchant_id, request_id) where request_id is not null;
create index requests_reference_idx on requests (merchant_id, reference, id) where reference is not null;
create index requests_resource_idx on requests (merchant_id, resource_id, id) where resource_id is not null and method <> 'GET';
comment on table requests is 'One request that came with an API key; or, where lost is set, how many could not be kept. Deleted after REQUEST_LOG_DAYS.';
comment on column requests.id is 'Tells when the request came. With the routing code set to 0 it is its X-Request-Id, where that was made here.';
comment on column requests.path is 'Without the query. Secrets are taken out.';
comment on column requests.status is 'Of the answer. 0: the row tells of lost ones.';
comment on column requests.duration_ms is 'Until the answer was ready to be sent.';
comment on column requests.request_id is 'The X-Request-Id that the caller chose. Null: it was made here, see id.';
comment on column requests.reference is 'The reference that the body named.';
comment on column requests.resource_id is 'What the answer or the path named: a collection, a withdrawal, a link.';
comment on column requests.error_code is 'Null: the answer was no error.';
comment on column requests.pack_id is 'Where its bodies lie. Null: they were not kept.';
comment on column requests.pack_place is 'Which entry of the pack, from 0.';
comment on column requests.lost is 'How many requests, from the time of id to lost_until, were not kept. Null: this row is one.';

create table request_packs (
  merchant_id uuid  not null,
  id          uuid  not null,
  packed      bytea not null,
  constraint request_packs_pkey primary key (merchant_id, id)
);
-- It is compressed already.
alter table request_packs alter column packed set storage external;
comment on table request_packs is 'The bodies of a set of requests of one merchant, secrets taken out. Deleted after REQUEST_LOG_DAYS.';
comment on column request_packs.id is 'Made when the set was written: younger than each request in it.';
comment on column request_packs.packed is 'JSON, compressed by zstd where that pays: of each request query, user agent, Idempotency-Key and the bodies.';
