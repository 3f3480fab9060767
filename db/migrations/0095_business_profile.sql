-- Payers see how to reach the merchant, and its logo and colour, on the pages of payers. An earlier program ignores the columns and the
-- table: its pages show only the name of the merchant.
-- oldest program: 0062

alter table merchants add column support_phone text;
alter table merchants add column support_email text;
alter table merchants add column support_address text;
alter table merchants add column accent_color text;
alter table merchants add column logo_hash text;
comment on column merchants.support_phone is 'The phone that payers call. Null means that the merchant gave none.';
comment on column merchants.support_email is 'The e-mail address that payers write to. Null means that the merchant gave none.';
comment on column merchants.support_address is 'Where payers find the merchant. Null means that the merchant gave no place.';
comment on column merchants.accent_color is 'The colour of buttons on the pages of payers, as #rrggbb. Null means the colour of the platform.';
comment on column merchants.logo_hash is 'Hash of the current logo in merchant_logos. Null means that the merchant has no logo.';

create table merchant_logos (
  merchant_id uuid        not null,
  hash        text        not null,
  png         bytea       not null,
  width       smallint    not null,
  height      smallint    not null,
  created_at  timestamptz not null,
  constraint merchant_logos_pkey primary key (merchant_id)
);
comment on table merchant_logos is 'access/merchants: The logo of a merchant, which the server wrote again from the pixels of the uploaded picture.';
comment on column merchant_logos.merchant_id is 'The merchant.';
comment on column merchant_logos.hash is 'The first 16 hexadecimal digits of the SHA-256 of the picture. The address of the picture contains it.';
comment on column merchant_logos.png is 'The picture as PNG, at most 20,480 bytes.';
comment on column merchant_logos.width is 'Width in pixels.';
comment on column merchant_logos.height is 'Height in pixels.';
comment on column merchant_logos.created_at is 'Time of the upload.';
