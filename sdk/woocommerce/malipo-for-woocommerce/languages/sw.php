<?php

// The texts in the Swahili of Tanzania, by the English text.

declare(strict_types=1);

return [
    'Malipo for WooCommerce needs WooCommerce: install and activate it.' =>
        'Malipo for WooCommerce inahitaji WooCommerce: isakinishe na kuiwasha.',
    'Malipo' => 'Malipo',
    'Mobile money, wallets and QR codes on the page of your Malipo server.' =>
        'Pesa kwa simu, pochi na QR kwenye ukurasa wa seva yako ya Malipo.',
    'Status' => 'Hali',
    'Take payments with Malipo' => 'Pokea malipo kwa Malipo',
    'Name in the checkout' => 'Jina kwenye ukurasa wa kulipa',
    'Mobile money' => 'Pesa kwa simu',
    'Text in the checkout' => 'Maelezo kwenye ukurasa wa kulipa',
    'Pay with M-Pesa, Airtel Money, Mixx by Yas or HaloPesa.' => 'Lipa kwa M-Pesa, Airtel Money, Mixx by Yas au HaloPesa.',
    'Address of the server' => 'Anwani ya seva',
    'Such as https://api.example.com, without /v1.' => 'Kwa mfano https://api.example.com, bila /v1.',
    'API key' => 'Ufunguo wa API',
    'With the scopes collections:write and collections:read. A sandbox key moves no real money.' =>
        'Wenye ruhusa collections:write na collections:read. Ufunguo wa majaribio hauhamishi pesa halisi.',
    'Webhook secret' => 'Siri ya webhook',
    'Register the webhook below, or add this address in the dashboard of Malipo and copy the secret: %s' =>
        'Sajili webhook hapa chini, au ongeza anwani hii kwenye dashibodi ya Malipo na unakili siri: %s',
    'Malipo takes Tanzanian shillings only.' => 'Malipo inapokea shilingi za Tanzania pekee.',
    'The payment service does not answer. Try again in a moment: you will not pay twice.' =>
        'Huduma ya malipo haijibu. Jaribu tena baada ya muda mfupi: hutalipa mara mbili.',
    'This order has a payment page for TZS %1$s, but its total is now TZS %2$s. Do not pay on that page. Contact the shop.' =>
        'Oda hii ina ukurasa wa kulipa wa TZS %1$s, lakini jumla yake sasa ni TZS %2$s. Usilipe kwenye ukurasa huo. Wasiliana na duka.',
    'The payment could not begin. Contact the shop.' => 'Malipo hayakuweza kuanza. Wasiliana na duka.',
    'Order %1$s at %2$s' => 'Oda %1$s ya %2$s',
    'The provider reversed the payment %s: the money is gone. Do not ship, or contact the customer.' =>
        'Mtoa huduma amerudisha malipo %s: pesa haipo tena. Usitume bidhaa, au wasiliana na mteja.',
    'The payment %s is under review. Wait until the platform has decided.' =>
        'Malipo %s yanakaguliwa. Subiri hadi uamuzi utolewe.',
    'An attempt to pay failed: %s The customer can try again on the same page.' =>
        'Jaribio la kulipa limeshindikana: %s Mteja anaweza kujaribu tena kwenye ukurasa uleule.',
    'The payment %1$s is %2$s, but the order is %3$s. Compare before you ship.' =>
        'Malipo %1$s ni %2$s, lakini oda ni %3$s. Linganisha kabla ya kutuma bidhaa.',
    'The customer can still pay %2$s TZS with the payment %1$s, but the order is now %3$s TZS. So the plugin makes no second page. Set the total back to %2$s, or agree with the customer on a new order.' =>
        'Mteja bado anaweza kulipa TZS %2$s kwa malipo %1$s, lakini oda sasa ni TZS %3$s. Hivyo programu haitengenezi ukurasa wa pili. Rudisha jumla kuwa %2$s, au kubaliana na mteja kuhusu oda mpya.',
    'A second payment %s arrived for this paid order. Give the money back to the customer.' =>
        'Malipo ya pili %s yamefika kwa oda iliyokwisha kulipwa. Mrudishie mteja pesa.',
    'WordPress did not answer. Reload the page, and try again.' => 'WordPress haikujibu. Pakia ukurasa upya, kisha ujaribu tena.',
    'Save the settings first. Then:' => 'Hifadhi mipangilio kwanza. Kisha:',
    'Test the connection' => 'Jaribu muunganisho',
    'Register the webhook' => 'Sajili webhook',
    'You may not change the settings of the shop. Ask an administrator of the shop.' =>
        'Huruhusiwi kubadilisha mipangilio ya duka. Mwombe msimamizi wa duka.',
    'The key lacks these scopes: %s. Create another key.' => 'Ufunguo hauna ruhusa hizi: %s. Tengeneza ufunguo mwingine.',
    'The connection works. The money goes to %s.' => 'Muunganisho unafanya kazi. Pesa inaenda kwa %s.',
    'The key is live: payments move real money.' => 'Ufunguo ni halisi: malipo yanahamisha pesa halisi.',
    'The key is of the sandbox: no real money moves.' => 'Ufunguo ni wa majaribio: hakuna pesa halisi inayohamishwa.',
    'The webhook secret is missing: register the webhook.' => 'Siri ya webhook haipo: sajili webhook.',
    'The currency of the shop is not TZS, so the checkout does not offer Malipo.' =>
        'Sarafu ya duka si TZS, kwa hiyo ukurasa wa kulipa hauonyeshi Malipo.',
    'The webhook is registered, and its secret is stored.' => 'Webhook imesajiliwa, na siri yake imehifadhiwa.',
];
