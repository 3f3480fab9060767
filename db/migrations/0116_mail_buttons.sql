-- An e-mail has a button in its HTML part. The server stores the text of the button and the place of its address in the encrypted body.
-- Earlier programs ignore the columns: their e-mails have no button.
-- oldest program: 0062

alter table outbox_messages add column button_label text, add column button_line smallint;
comment on column outbox_messages.button_label is 'The text of the button of an e-mail. Null means that the e-mail has no button.';
comment on column outbox_messages.button_line is 'The line of the body with the address of the button, from 0. Null means that the e-mail has no button.';
