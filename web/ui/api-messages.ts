// Contains the Swahili translations of the API's English messages. A test fails for a message of a form that has no
// translation. The first refusal loads this file, so that no page waits for it.

/**
 * The Swahili translation of each API message. `{}` takes the place of a value. Both languages have the values in the same
 * order.
 */
const SWAHILI: Readonly<Record<string, string>> = {
  // The API sends most of the following messages after the name of a field.
  'is required': 'Jaza sehemu hii.',
  'is required the first time': 'Jaza sehemu hii: ni mara ya kwanza.',
  'is required for this destination': 'Jaza sehemu hii: mpokeaji huyu anaihitaji.',
  'is required: you are a member of several merchants': 'Chagua biashara: uko kwenye biashara zaidi ya moja.',
  'must be an id and not "me": you are a member of several merchants':
    'Chagua biashara: uko kwenye biashara zaidi ya moja.',
  'is no network or bank of this method': 'Chagua mtandao au benki ya njia hii.',
  'is already the number of a saved recipient': 'Namba hii ni ya mpokeaji uliyemhifadhi tayari.',
  'The business already has {} saved recipients. Remove one first.':
    'Biashara ina wapokeaji {} waliohifadhiwa tayari. Ondoa mmoja kwanza.',
  'A business can check {} names a day. Try again tomorrow.':
    'Biashara inaweza kuhakiki majina {} kwa siku. Jaribu tena kesho.',
  'must have the form that the API documentation describes': 'Muundo si sahihi.',
  'is too large': 'Kiasi ni kikubwa mno.',
  'is too wide: the widest network is /{}': 'Mtandao ni mpana mno: usizidi /{}.',
  'is not an address from which a server can send requests': 'Seva haiwezi kupiga kutoka kwenye anwani hii.',
  'applies to the same payments or payouts as rules.{}':
    'Inahusu malipo au utoaji ule ule wa kanuni nyingine (rules.{}).',
  'has the method {}, not the method of this rule': 'Ni ya {}, si ya njia iliyochaguliwa.',
  'has not begun yet in Africa/Dar_es_Salaam': 'Kipindi hiki hakijaanza.',
  'must contain only the characters that this field accepts': 'Kuna herufi ambazo haziruhusiwi hapa.',
  'contains invisible characters': 'Kuna herufi ambazo hazionekani. Andika upya.',
  'must not be blank, and must hold no control characters': 'Jaza sehemu hii, bila herufi zisizoonekana.',
  'must have at least {} character{}': 'Andika herufi {} au zaidi.{}',
  'must not be a common password: choose another password': 'Nywila hii inajulikana na wengi. Chagua nyingine.',
  'must not be the e-mail address or the name': 'Nywila isiwe barua pepe wala jina lako.',
  'must not be the current password': 'Nywila mpya isiwe ile ya sasa.',
  'must not be your current e-mail address': 'Andika anwani mpya. Hii ndiyo barua pepe yako ya sasa.',
  'must not be an address of a demo user': 'Anwani hii ni ya watumiaji wa maonyesho. Chagua nyingine.',
  'must have at most {} characters': 'Andika herufi zisizozidi {}.',
  'must have at most two decimals': 'Andika desimali zisizozidi mbili.',
  'must be one of {}': 'Chagua mojawapo: {}.',
  'must be at least {}': 'Andika {} au zaidi.',
  'must be at most {}': 'Andika {} au chini yake.',
  'must be live or sandbox': 'Chagua mazingira: Halisi au Majaribio.',
  'must be up to {} ids, separated by commas': 'Chagua malipo yasiyozidi {}.',
  'must have 1 to {} ids of payments': 'Chagua malipo kati ya 1 na {}.',
  'must be absent if the request has collection_ids': 'Usiandike hii pamoja na malipo yaliyochaguliwa.',
  'must have 1 to {} ids of deliveries': 'Chagua ujumbe kati ya 1 na {}.',
  'must occur only once': 'Taja hili mara moja tu.',
  'has "{}" twice': 'Ina "{}" mara mbili. Ondoa moja.',
  'must be a decimal such as "25000.00" or 25000, without sign, exponent or separators':
    'Andika kiasi kama 25000 au 25000.50.',
  'must be a decimal string such as "500.00", without sign, exponent or separators': 'Andika kiasi kama 500 au 500.00.',
  'must be a decimal greater than zero such as "2" or "1.5", with at most three decimals':
    'Andika idadi kubwa kuliko sifuri, kama 2 au 1.5, yenye desimali zisizozidi tatu.',
  'must be a percentage from "0" to "100" such as "1.50", with at most two decimals':
    'Andika asilimia kutoka 0 hadi 100, kama 1.50.',
  'must be null, or an amount in shillings such as "50000.00"': 'Acha wazi, au andika kiasi kama 50000.',
  'must be null, or an amount in shillings such as "5000000.00"': 'Acha wazi, au andika kiasi kama 5000000.',
  'is too light: white text on it would be hard to read. Choose a darker colour':
    'Rangi hii ni nyepesi mno: maandishi meupe hayatasomeka. Chagua rangi nzito zaidi.',
  'is not a PNG picture that the server can read. Save the picture as PNG with 8 bits, not interlaced':
    'Seva haiwezi kusoma picha hii. Ihifadhi kama PNG ya kawaida.',
  'is larger than {} x {} pixels. Make the picture smaller': 'Picha inazidi pikseli {} x {}. Ipunguze.',
  'is not visible on white. Use a picture with darker colours':
    'Picha hii haionekani kwenye rangi nyeupe. Tumia picha yenye rangi nzito zaidi.',
  'is too long and thin for a logo. Use a picture that is at most {} times as long on one side as on the other':
    'Picha hii ni nyembamba mno kwa nembo. Upande mmoja usizidi mara {} ya upande mwingine.',
  'has more than {} bytes. Make the picture smaller, or use fewer colours':
    'Picha inazidi baiti {}. Ipunguze, au tumia rangi chache.',
  'must begin with https:// for live payments': 'Kwa malipo halisi, anwani lazima ianze na https://.',
  'must be greater than zero': 'Andika kiasi kikubwa kuliko sifuri.',
  'must have port 443, port 80, or a port from 1024 on that no other service uses, such as 8443':
    'Tumia port 443 au 80, au port kuanzia 1024 isiyo ya huduma nyingine, kama 8443.',
  'must not be below zero': 'Usiandike kiasi kilicho chini ya sifuri.',
  'must be a Tanzanian mobile number such as 0754123456 or 255754123456': 'Andika namba ya simu kama 0754 123 456.',
  'must be a Tanzanian mobile number such as 0754123456, or its last 4 to 9 digits':
    'Andika namba ya simu kama 0754 123 456, au tarakimu zake 4 hadi 9 za mwisho.',
  'must be a Tanzanian mobile number such as 0754123456 or 255754123456, or the 6 to 20 digits of an account':
    'Andika namba ya simu kama 0754 123 456, au namba ya akaunti yenye tarakimu 6 hadi 20.',
  'must be an account number of 1 to 34 letters, digits, - and /':
    'Andika namba ya akaunti: herufi, tarakimu, - na /, zisizozidi 34.',
  'must be an e-mail address': 'Andika anwani kama jina@mfano.co.tz.',
  'must be an id of this API': 'Kitambulisho hiki si sahihi.',
  'must be a code of GET /v1/destinations: {}': 'Andika msimbo wa mtandao au benki: {}.',
  'must be null for a collection: money that comes in has no destination':
    'Acha wazi: pesa zinazoingia hazina mtandao au benki ya kwenda.',
  'must be null or one of {} for a {}': 'Chagua yoyote au mojawapo: {} ({}).',
  'must be a complete URL, such as https://example.com/webhooks':
    'Andika anwani kamili, kama https://mfano.co.tz/webhook.',
  'must begin with https://': 'Anwani lazima ianze na https://',
  'must begin with https:// or http://': 'Anwani lazima ianze na https:// au http://',
  'must be an address that begins with https:// or http://, without a user name or password':
    'Andika anwani inayoanza na https:// au http://, bila jina la mtumiaji wala nywila.',
  'must not hold a user name or password': 'Usiweke jina la mtumiaji wala nywila ndani ya anwani.',
  'must lead to an address on the public internet, not to a private or reserved one':
    'Anwani lazima ifikike kwenye intaneti ya umma, isiwe ya mtandao wa ndani.',
  'must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24':
    'Andika anwani ya IPv4 au IPv6, au mtandao kama 203.0.113.0/24.',
  'names one address of a network: send {}/{} or {}': 'Ni anwani moja ndani ya mtandao: andika {}/{} au {}.',
  'must be a day such as 2030-01-31': 'Andika tarehe kama 2030-01-31.',
  'must be today or later, in Tanzania': 'Chagua leo au siku inayofuata.',
  'must be a month such as 2026-01 or a day such as 2026-01-05': 'Chagua mwezi kama 2026-01 au siku kama 2026-01-05.',
  'must be a time such as 2026-01-05T00:00:00Z, or a day: 2026-01-05': 'Andika siku kama 2026-01-05.',
  'must be a time such as 2026-01-05T12:00:00Z or 2026-01-05T15:00:00+03:00': 'Andika siku au muda ulio sahihi.',
  'must be a time that exists, such as 2030-01-31T18:00:00+03:00': 'Andika siku iliyopo kwenye kalenda.',
  'must be in the future': 'Chagua muda ambao haujapita.',
  'must be in the past': 'Chagua muda uliopita.',
  'must not be in the future': 'Chagua muda ambao umeshapita.',
  'must be after from': 'Siku ya mwisho lazima iwe baada ya siku ya kwanza.',
  'must be after since': 'Mwisho lazima uwe baada ya mwanzo.',
  'must not be more than 62 days after from': 'Kipindi kisizidi siku 62.',
  'must name at least one event': 'Chagua tukio moja au zaidi.',
  'must name at least one scope': 'Chagua ruhusa moja au zaidi.',
  '"{}" is not an event; name any of {}': '“{}” si tukio. Yaliyopo: {}.',
  'has the unknown scope {}; the known scopes are {}': 'Ruhusa {} haijulikani. Zilizopo: {}.',
  'must not be {} like ip_whitelist_enabled: send only one of the two fields':
    'Chagua moja kati ya mawili (si {} kwa yote).',
  'must contain only ids of withdrawal_ids': 'Orodha hii iwe na vitambulisho vilivyo kwenye withdrawal_ids tu.',
  'must not name one withdrawal twice': 'Utoaji mmoja umetajwa mara mbili.',
  'must not go beyond the newest {} rows of all merchants. Choose a merchant with merchant_id':
    'Zinaonekana rekodi mpya {} tu za biashara zote. Chagua biashara moja.',
  'must not go beyond the newest {} rows of both environments. Choose an environment':
    'Zinaonekana rekodi mpya {} tu za mazingira yote. Chagua mazingira.',
  'must be left out: the server credits the received amount': 'Acha wazi: kiasi kilichopokelewa ndicho kinachoongezwa.',
  'must be left out: a decline credits no money': 'Acha wazi unapokataa malipo.',
  'must be the value of the foreign money in TZS': 'Andika thamani ya pesa hizi kwa shilingi (TZS).',
  'must be left out with merchant_id': 'Acha wazi unapochagua biashara.',
  'must be the value of next in an earlier answer': 'Fungua orodha upya, kisha endelea.',
  'must be pairs such as reference=Order No, of {}': 'Andika jozi kama reference=Order No. Majina: {}.',
  'names {} twice': '{} imetajwa mara mbili.',
  'differs from the destination in {}': 'Hapa pametajwa mpokeaji tofauti na {}.',
  'differs from the recipient in destination_name': 'Jina hili ni tofauti na jina la mpokeaji.',
  'differs from the environment of this key, which is {}: leave the field out': 'Ufunguo huu ni wa {}: acha wazi.',
  'differs from the environment of this request, which is {}': 'Ombi hili ni la mazingira mengine ({}).',
  // The API sends most of the following messages about a whole request. They add a fact to the error code.
  'Set up your own second step and sign in again, before you require a second step of all members.':
    'Weka kwanza hatua yako ya pili na uingie nayo, kabla ya kuidai kwa watumiaji wote.',
  'Too many documents wait in the queue. Repeat the request after the seconds in Retry-After.':
    'Nyaraka nyingi zinasubiri kuandaliwa. Jaribu tena baada ya muda mfupi.',
  'Too many exports run at the same time. Repeat the request after the seconds in Retry-After.':
    'Faili nyingi zinaandaliwa kwa sasa. Jaribu tena baada ya muda mfupi.',
  'Only operators of the platform may make this call.': 'Hili ni la waendeshaji wa mfumo tu.',
  'Ask an operator.': 'Muulize mwendeshaji.',
  'Your role {} does not allow this call. An operator with the role {} must make this call.':
    'Jukumu lako {} haliruhusu hili. Mwendeshaji mwenye jukumu {} ndiye anayeweza.',
  'The request did not arrive completely in time. Send the request again.':
    'Ombi halikufika lote kwa wakati. Tuma tena.',
  'The body is too large. Send at most 64 KiB.': 'Ulichoandika ni kirefu mno. Kisizidi KiB 64.',
  'merchant_id is not the merchant of this credential. Leave merchant_id out, or send your own merchant_id.':
    'Huruhusiwi kutumia biashara hii.',
  'The service supports only TZS. Send TZS, or leave currency out.':
    'Shilingi za Tanzania (TZS) tu ndizo zinazotumika.',
  'The amount must be from {} to {} shillings.': 'Kiasi kiwe kutoka shilingi {} hadi {}.',
  'The total must be greater than zero.': 'Jumla lazima iwe kubwa kuliko sifuri.',
  'The provider moves whole shillings only. Leave out the cents.':
    'Mtoa huduma anahamisha shilingi kamili tu. Ondoa senti.',
  'The available balance is {}.': 'Salio linalopatikana ni {}.',
  'The withdrawal of {} needs {} with its fees.': 'Kiasi cha {} kinahitaji {} pamoja na makato.',
  'Wait until the balance covers the withdrawal, or choose a smaller amount.':
    'Subiri hadi salio litoshe, au chagua kiasi kidogo zaidi.',
  'The available balance is {}, and the adjustment takes {}.':
    'Salio linalopatikana ni {}, na marekebisho yanachukua {}.',
  'Choose a smaller amount.': 'Chagua kiasi kidogo zaidi.',
  'No fee is set for withdrawals of this method to this destination. Ask the platform to set the fee.':
    'Bado hakuna makato yaliyopangwa kwa njia hii na mtandao au benki hii. Muulize mwendeshaji wa mfumo.',
  'The server refuses live keys, because the merchant is not active. Ask the platform.':
    'Seva inakataa funguo halisi, kwa sababu biashara haifanyi kazi kwa sasa. Muulize mwendeshaji wa mfumo.',
  'This page would take real money: an operator must first approve and verify the business, and set its fees.':
    'Ukurasa huu ungepokea pesa halisi: biashara lazima kwanza iidhinishwe, ithibitishwe na ipangiwe makato.',
  'This key is revoked, so the server cannot rotate the key. Create a new key.':
    'Ufunguo huu umezimwa. Tengeneza mpya.',
  'This key has expired, so the server cannot rotate the key. Create a new key.':
    'Muda wa ufunguo huu umeisha. Tengeneza mpya.',
  'This merchant has {} active {} keys, and the limit is {}.':
    'Biashara hii ina funguo {} zinazotumika ({}), na kikomo ni {}.',
  'Revoke a key that no server uses, then create the key again.':
    'Futa ufunguo usiotumiwa na seva yoyote, kisha tengeneza ufunguo tena.',
  'This invoice is {}.': 'Hali ya ankara hii ni {}.',
  'The server accepts this action only for an invoice that is {}.':
    'Seva inakubali kitendo hiki kwa ankara yenye hali hii tu: {}.',
  'This invoice has neither a phone nor an e-mail address of the customer, so the server cannot send the invoice.':
    'Ankara hii haina simu wala barua pepe ya mteja, kwa hiyo haiwezi kutumwa.',
  'Add a phone or an e-mail address.': 'Ongeza simu au barua pepe.',
  'This withdrawal is {}.': 'Hali ya utoaji huu ni {}.',
  'An operator can approve only a withdrawal that is PENDING_ADMIN_APPROVAL or INFO_REQUESTED.':
    'Mwendeshaji anaweza kuidhinisha utoaji unaosubiri uamuzi au jibu tu.',
  'An operator can reject only a withdrawal that is PENDING_ADMIN_APPROVAL or INFO_REQUESTED.':
    'Mwendeshaji anaweza kukataa utoaji unaosubiri uamuzi au jibu tu.',
  'An operator can ask only about a withdrawal that is PENDING_ADMIN_APPROVAL.':
    'Mwendeshaji anaweza kuuliza kuhusu utoaji unaosubiri uamuzi tu.',
  'No operator waits for an answer of the merchant.': 'Hakuna mwendeshaji anayesubiri jibu la biashara.',
  'The merchant can cancel only a withdrawal that is PENDING_ADMIN_APPROVAL or INFO_REQUESTED.':
    'Biashara inaweza kughairi utoaji unaosubiri uamuzi au jibu tu.',
  'An operator can resolve only a withdrawal that is NEEDS_RECONCILIATION, BLOCKED_IP_WHITELIST or NEEDS_ADMIN_ATTENTION.':
    'Mwendeshaji anaweza kuamua matokeo ya utoaji uliozuiwa, wenye matokeo yasiyojulikana au unaohitaji uamuzi tu.',
  'An operator can recall only a withdrawal that is PROCESSING.':
    'Mwendeshaji anaweza kurudisha utoaji ambao bado unaendelea tu.',
  'The server has sent or may have sent the payout, so an operator cannot recall it.':
    'Seva imetuma au huenda imetuma utoaji huu, kwa hiyo mwendeshaji hawezi kuurudisha.',
  'An operator can retry only a withdrawal that is BLOCKED_IP_WHITELIST.':
    'Mwendeshaji anaweza kutuma tena utoaji uliozuiwa tu.',
  'The payout is in progress, so an operator cannot retry it now.':
    'Utoaji huu unaendelea, kwa hiyo mwendeshaji hawezi kuutuma tena sasa.',
  'Read the withdrawal again.': 'Fungua utoaji huu upya.',
  'The sandbox cannot change this status to {}.': 'Mazingira ya majaribio hayawezi kubadili hali hii kuwa {}.',
  'Simulate another outcome.': 'Igiza matokeo mengine.',
  'The merchant can respond, and an operator can approve or reject the withdrawal.':
    'Biashara inaweza kujibu, na mwendeshaji anaweza kuidhinisha au kukataa utoaji huu.',
  'Wait for the result.': 'Subiri matokeo.',
  'If the server has not sent the payout, an operator can recall the payout.':
    'Ikiwa seva bado haijatuma utoaji huu, mwendeshaji anaweza kuurudisha.',
  'The payout waits: its merchant is suspended.': 'Utoaji unasubiri: biashara imesimamishwa.',
  'The payout waits. {} are paused {}: "{}".': 'Utoaji unasubiri. {} umesimamishwa {}: "{}".',
  '{} are paused already, since {} by {}: "{}".': '{} umeshasimamishwa tangu {} na {}: "{}".',
  'This pause ended already, at {} by {}.': 'Utoaji huu ulisharuhusiwa tena {} na {}.',
  'since {} by {}': 'tangu {} na {}',
  'All payouts': 'Utoaji wote',
  'The payouts of the merchant {}': 'Utoaji wa biashara {}',
  'The payouts over the provider {}': 'Utoaji kupitia {}',
  'The payouts to {}': 'Utoaji kwenda {}',
  'must be left out for the scope platform': 'Usitaje lengo ukisimamisha mfumo mzima.',
  'is required for the scope {}': 'Taja unachosimamisha ({}).',
  '"{}" is not a code of GET /v1/destinations': 'Mtandao au benki hii haijulikani: {}.',
  '"{}" is not a provider: must be one of {}': 'Mtoa huduma {} hajulikani. Chagua mmojawapo: {}.',
  'An operator can resolve the withdrawal.': 'Mwendeshaji anaweza kuamua matokeo yake.',
  'An operator can retry or resolve the withdrawal.': 'Mwendeshaji anaweza kutuma tena au kuamua matokeo yake.',
  'Approved by {}. Another operator must approve this withdrawal before any money moves.':
    'Imeidhinishwa na {}. Mwendeshaji mwingine lazima aidhinishe kabla ya pesa kuhama.',
  'The first decision is from {}. Another operator must make the same decision before any money moves.':
    'Uamuzi wa kwanza ni wa {}. Mwendeshaji mwingine lazima afanye uamuzi huo huo kabla ya pesa kuhama.',
  'Only operators can make this decision.': 'Waendeshaji tu ndio wanaoweza kufanya uamuzi huu.',
  'Only a MERCHANT_ADMIN may keep the API keys of a member who leaves.':
    'Msimamizi tu ndiye anayeweza kubakiza funguo za API za mtumiaji anayeondoka.',
  'must name active API keys that the member made; "{}" is no such key':
    'Taja funguo za API zinazotumika ambazo mtumiaji alizitengeneza; "{}" si mojawapo.',
  'Made by {}, who is no longer a member.': 'Ulitengenezwa na {}, ambaye si mtumiaji wa biashara tena.',
  'Two operators have to approve this withdrawal.': 'Waendeshaji wawili lazima waidhinishe.',
  'The merchant is not active and verified. Reject the withdrawal, or complete the merchant first.':
    'Biashara haijaidhinishwa au haijathibitishwa. Kataa utoaji huu, au kamilisha biashara kwanza.',
  'The merchant is not active and verified. Resolve the withdrawal, or complete the merchant first.':
    'Biashara haijaidhinishwa au haijathibitishwa. Amua matokeo ya utoaji huu, au kamilisha biashara kwanza.',
  '{} does not support name lookups.': '{} haitoi majina ya akaunti.',
  'Check the name in another way.': 'Hakikisha jina kwa njia nyingine.',
  'The provider does not answer at the moment.': 'Mtoa huduma hajibu kwa sasa.',
  'Try again in a minute.': 'Jaribu tena baada ya dakika moja.',
  'The provider did not answer.': 'Mtoa huduma hakujibu.',
  'The provider returned no name: the account has none, or the lookup failed.':
    'Mtoa huduma hakutoa jina: akaunti haina jina, au utafutaji haukufanikiwa.',
  'Check the account, or try again.': 'Hakikisha akaunti, au jaribu tena.',
  'No configured provider supports {} payouts to {}.': 'Hakuna mtoa huduma anayetuma {} kwenda {}.',
  'Reject the withdrawal, or configure a provider for this destination.':
    'Kataa utoaji huu, au weka mtoa huduma wa mtandao au benki hii kwenye mipangilio ya seva.',
  'Reject the withdrawal, and ask the merchant for an amount without cents.':
    'Kataa utoaji huu, kisha iombe biashara kiasi kisicho na senti.',
  '{} cannot pay out this withdrawal without its {}. Reject the withdrawal, and ask the merchant to submit it again.':
    '{} hawezi kutuma utoaji huu bila {}. Kataa utoaji huu, kisha iombe biashara iutume upya.',
  '{} supports payouts of whole shillings only, and the amount is {}.': '{} hutuma shilingi kamili tu, na kiasi ni {}.',
  'The ledger reserved {} of {}: find the cause before any money moves. Run "admin verify".':
    'Vitabu vimetenga {} kati ya {}: tafuta sababu kabla pesa hazijahama. Endesha "admin verify".',
  'A user with this e-mail address is a member already. Change the role instead.':
    'Mwenye barua pepe hii ni mtumiaji tayari. Badilisha jukumu lake.',
  'This member has signed in already. No invitation is needed.': 'Mtumiaji huyu ameshaingia. Hahitaji mwaliko.',
  'There is a user with this e-mail address already.': 'Kuna mtumiaji mwenye barua pepe hii tayari.',
  'Use another address.': 'Tumia anwani nyingine.',
  'A merchant has at most {} members. Remove a member first.':
    'Biashara haiwezi kuwa na watumiaji zaidi ya {}. Ondoa mmoja kwanza.',
  'Confirm your e-mail address first: open the link in the e-mail that you got when you signed up.':
    'Thibitisha kwanza barua pepe yako: fungua kiungo kilicho kwenye barua pepe uliyopata ulipojiandikisha.',
  'You sign in at another identity provider. Change the e-mail address there.':
    'Unaingia kwa mtoa utambulisho mwingine. Badilisha barua pepe huko.',
  'The e-mail address of a demo user does not change. Sign up with an address of your own.':
    'Barua pepe ya mtumiaji wa maonyesho haibadilishwi. Jisajili kwa anwani yako mwenyewe.',
  'You may leave, but only a MERCHANT_ADMIN may remove another member.':
    'Unaweza kujiondoa, lakini msimamizi tu ndiye anayeweza kumwondoa mwingine.',
  'This is the last MERCHANT_ADMIN. Make another member MERCHANT_ADMIN first.':
    'Huyu ni msimamizi wa mwisho. Mpe kwanza mtumiaji mwingine jukumu la msimamizi.',
  'This address is on the list already, with status {}.': 'Anwani hii iko kwenye orodha tayari (hali: {}).',
  'Remove the entry first to ask again.': 'Iondoe kwanza ili uombe tena.',
  'The list already has {} addresses. Remove an address, or add a network.':
    'Orodha ina anwani {}. Ondoa moja, au andika mtandao mzima.',
  'An operator can approve only a PENDING address.': 'Anwani inayosubiri tu ndiyo inaweza kuidhinishwa.',
  'An operator can reject only a PENDING or APPROVED address.':
    'Anwani inayosubiri au iliyoidhinishwa tu inaweza kukataliwa.',
  'An operator can approve only a PENDING merchant.': 'Biashara inayosubiri tu ndiyo inaweza kuidhinishwa.',
  'An operator can suspend only an ACTIVE merchant.': 'Biashara inayotumika tu ndiyo inaweza kusimamishwa.',
  'An operator can reactivate only a SUSPENDED merchant.': 'Biashara iliyosimamishwa tu ndiyo inaweza kurudishwa.',
  'This collection is {}.': 'Hali ya malipo haya ni {}.',
  'This merchant is {}.': 'Hali ya biashara hii ni {}.',
  'This address is {}.': 'Hali ya anwani hii ni {}.',
  'An operator can decide only about a collection that is pending_clearance.':
    'Malipo yanayokaguliwa tu ndiyo yanaweza kuamuliwa.',
  'The fee of this payment method is never less than the amount. Ask the platform about your fees.':
    'Makato ya njia hii yanachukua kiasi chote. Muulize mwendeshaji wa mfumo kuhusu makato yako.',
  'The fee is not less than the amount. Request at least {} shillings.':
    'Makato yanachukua kiasi chote. Omba angalau shilingi {}.',
  'The server sends an invoice at most {} times a day.': 'Ankara inaweza kutumwa si zaidi ya mara {} kwa siku.',
  'This invoice has reached the limit today.': 'Ankara hii imefikia kikomo cha leo.',
  'Send the invoice again tomorrow.': 'Tuma ankara tena kesho.',
  'This customer got {} messages of businesses in 24 hours.':
    'Mteja huyu amepata ujumbe {} wa biashara ndani ya saa 24.',
  'Wait before you send another message.': 'Subiri kabla ya kutuma mwingine.',
  'No provider supports payouts to {} at the moment.': 'Kwa sasa hakuna kinachoweza kutumwa {}.',
  'No provider supports {} payouts.': 'Hakuna kinachoweza kutumwa kwa {}.',
  'The server supports {} payouts to {}.': 'Kwa {} seva inafikia {}.',
  'You have submitted this withdrawal: another operator has to approve it.':
    'Uliiomba wewe mwenyewe: mwendeshaji mwingine lazima aidhinishe.',
  'You have submitted this withdrawal: two other operators have to approve it.':
    'Wewe ndiye uliyeomba utoaji huu: waendeshaji wengine wawili lazima waidhinishe.',
  'The daily limit of the merchant is {}.': 'Kikomo cha siku cha biashara hii ni {}.',
  'Operators approved {} today, and this payout is {}.': 'Leo zimeidhinishwa {}, na utoaji huu ni {}.',
  'The daily limit of the merchant to one destination is {}.':
    'Kikomo cha siku cha biashara hii kwenda namba moja ni {}.',
  'Operators approved {} to this destination today, and this payout is {}.':
    'Leo zimeidhinishwa {} kwenda namba hii, na utoaji huu ni {}.',
  'Approve the withdrawal on another day, or set a higher limit for the merchant.':
    'Idhinisha siku nyingine, au ongeza kikomo cha biashara.',
  'This environment has no webhook address yet. PATCH /v1/merchant/webhook-config with a webhook_url first.':
    'Bado hakuna anwani ya webhook katika mazingira haya. Iandike kwanza.',
  'This delivery is still pending: the server retries it. See next_attempt_at.':
    'Ujumbe huu bado unasubiri: seva itautuma tena. Angalia utajaribiwa tena lini.',
  'The server attempted this delivery {} times and does not send it again.':
    'Ujumbe huu umejaribiwa mara {}. Hautumwi tena.',
  'The server sends the webhooks of at most {} payments in one call. Choose fewer payments.':
    'Webhook za malipo yasiyozidi {} hutumwa kwa mara moja. Chagua malipo machache zaidi.',
  'The server sends at most {} deliveries in one call. Choose fewer deliveries.':
    'Ujumbe usiozidi {} hutumwa kwa mara moja. Chagua ujumbe mchache zaidi.',
  'The merchant deleted the webhook endpoint of this delivery. The server does not send it again.':
    'Anwani ya ujumbe huu imeondolewa. Ujumbe hautumwi tena.',
  'Use /v1/merchant/webhook-config for the default endpoint.':
    'Anwani kuu hubadilishwa kwa /v1/merchant/webhook-config.',
  'This merchant has {} webhook endpoints in the {} environment, with the default endpoint, and the limit is {}.':
    'Biashara hii ina anwani {} za webhook ({}), pamoja na anwani kuu, na kikomo ni {}.',
  'Delete an endpoint that no server uses, then add the endpoint again.':
    'Ondoa anwani isiyotumiwa na seva yoyote, kisha ongeza anwani tena.',
  'must be "default" or the id of an endpoint': 'Chagua anwani kuu, au anwani nyingine ya biashara hii.',
  'This case is closed: {}.': 'Kesi hii imefungwa: {}.',
  'This case is about no payment or payout of ours, so the server cannot query the provider.':
    'Kesi hii haina kitu chetu ambacho mtoa huduma anaweza kuulizwa.',
  'Close the case with a reason.': 'Funga kesi na uandike sababu.',
  'An operator has already withdrawn this statement.': 'Taarifa hii imeshaondolewa.',
  'An import of this provider is running. Try again soon.':
    'Taarifa ya mtoa huduma huyu inaletwa sasa. Jaribu tena baada ya muda mfupi.',
  'Another import of this provider is running. Try again soon.':
    'Taarifa nyingine ya mtoa huduma huyu inaletwa sasa. Jaribu tena baada ya muda mfupi.',
  'Another request is importing this file now.': 'Faili hili linaletwa sasa hivi.',
  'Wait until that import ends.': 'Subiri hadi limalize kuletwa.',
  'An operator imported this file on {}: see statement {}. If that import was wrong, withdraw the statement first.':
    'Faili hili liliwahi kuletwa {}: angalia taarifa {}. Iondoe kwanza kama ililetwa kimakosa.',
  'Send the file as the body of the request.': 'Chagua faili.',
  'Send the file as text/csv.': 'Leta faili la CSV.',
  'The file is too large.': 'Faili ni kubwa mno.',
  'The limit is {} MiB.': 'Lisizidi MiB {}.',
  'Import a shorter period.': 'Leta kipindi kifupi zaidi.',
  'The server did not import the statement: line {} {}. See details.lines.': 'Taarifa haikupokelewa. Mstari wa {}: {}.',
  // A record that does not exist.
  'There is no merchant with this id.': 'Hakuna biashara yenye kitambulisho hiki.',
  'There is no such API key.': 'Ufunguo huu wa API haupo.',
  'There is no such address.': 'Anwani hii haipo.',
  'There is no such address on the list.': 'Anwani hii haipo kwenye orodha.',
  'There is no such case.': 'Kesi hii haipo.',
  'There is no such collection.': 'Malipo haya hayapo.',
  'There is no such collection in this environment.': 'Malipo haya hayapo katika mazingira haya.',
  'There is no such collection under review.': 'Malipo haya hayapo kwenye yanayokaguliwa.',
  'There is no such invoice in this environment.': 'Ankara hii haipo katika mazingira haya.',
  'There is no such member.': 'Mtumiaji huyu hayupo.',
  'There is no such operator.': 'Mwendeshaji huyu hayupo.',
  'There is no such pause of payouts.': 'Hakuna usimamishaji huu wa utoaji.',
  'There is no such payment link in this environment.': 'Kiungo hiki cha malipo hakipo katika mazingira haya.',
  'There is no such payment on this link.': 'Malipo haya hayapo kwenye kiungo hiki.',
  'There is no such saved recipient in this environment.': 'Mpokeaji huyu hayupo katika mazingira haya.',
  'There is no such statement.': 'Taarifa hii haipo.',
  'There is no such transaction in this environment.': 'Muamala huu haupo katika mazingira haya.',
  'There is no such webhook endpoint.': 'Anwani hii ya webhook haipo.',
  'There is no such withdrawal.': 'Utoaji pesa huu haupo.',
  'There is no such withdrawal in this environment.': 'Utoaji pesa huu haupo katika mazingira haya.',
  'A session chooses the other environment with ?environment=.': 'Chagua mazingira mengine juu ya ukurasa.',
  'Check the id.': 'Angalia kitambulisho.',
  'Check the id and the environment.': 'Angalia kitambulisho na mazingira.',
  'Check the reference and the environment.': 'Angalia namba ya kumbukumbu na mazingira.',
  'Check the address.': 'Angalia anwani.',
  // Most of the following messages describe an error in a line of a provider statement.
  'has neither a column reference nor provider_id': 'hakuna safu ya reference wala provider_id',
  'has no column {}': 'hakuna safu {}',
  'has the column "{}" more than once': 'safu "{}" iko zaidi ya mara moja',
  'has more than {} columns': 'safu ni zaidi ya {}',
  'has {} fields, but the header has another number of fields': 'una safu {}, tofauti na mstari wa kwanza',
  'has neither reference nor provider_id': 'hauna reference wala provider_id',
  'has a reference or provider_id of more than {} characters': 'reference au provider_id inazidi herufi {}',
  'has no kind, and its reference is not one of ours': 'hauna kind, wala namba yetu ya kumbukumbu inayouonyesha',
  'has a quote in the middle of a field': 'kuna alama ya nukuu katikati ya sehemu',
  'You have no passkey that can confirm this session.': 'Huna passkey inayoweza kuthibitisha hapa.',
  'Confirm it in another way.': 'Thibitisha kwa njia nyingine.',
  'You have no passkey with this id.': 'Huna passkey hii. Labda imeshaondolewa.',
  'Read your passkeys again.': 'Fungua orodha ya passkey upya.',
  'is not valid, or its challenge has expired. Get new options with POST /v1/session/passkey':
    'Passkey haikukubaliwa, au muda wake umepita. Jaribu tena.',
  'has a quote that is not closed': 'kuna alama ya nukuu isiyofungwa',
  'has text after a closing quote': 'kuna kitu baada ya nukuu kufungwa',
  'has a control character such as NUL': 'kuna herufi isiyoonekana',
  'has a carriage return without a line feed': 'mwisho wa mstari si sahihi',
  'is longer than {} characters': 'unazidi herufi {}',
  'is missing: the file has no header': 'faili halina mstari wa majina ya safu',
  'is not UTF-8': 'si UTF-8',
  'This user is already disabled.': 'Mtu huyu amezuiwa tayari.',
  'This user does not have an operator role.': 'Mtu huyu hana jukumu la mwendeshaji.',
  'This user is the last enabled SUPER_ADMIN.': 'Huyu ni msimamizi mkuu wa mwisho.',
  'Only this role can set fees and the settings of the platform.':
    'Jukumu hili tu linaweza kupanga makato na kubadilisha mipangilio ya mfumo.',
  'Give another user this role first.': 'Mpe mtu mwingine jukumu hili kwanza.',
}

/** Messages that only repeat the error code. problem-texts.ts has a text for each of these codes. */
const BY_CODE: ReadonlySet<string> = new Set([
  'This resource does not exist. Check the path and the id.',
  'Your role does not allow this call. Ask an administrator of the merchant.',
  'The server does not allow this request. For a live key, check the addresses that may use the key.',
  'This request needs a recent sign-in. Send your code or password to POST /v1/session/confirm, or sign in again, then repeat the request.',
  'This merchant requires a second step at sign-in of its members. Set up the second step of your sign-in, then sign in again.',
  'The request is not valid. See details.fields for what to change.',
  'The state of the record does not allow this request. Read the record again.',
  'Too many requests. Wait for the seconds in Retry-After.',
  'The first request with this Idempotency-Key is still running. Try again in a moment.',
  'Another request has used this Idempotency-Key. Use a new key for each payment attempt.',
  'The amount is outside the limits, or the provider cannot move this amount. Change the amount.',
  'destination_code is not a destination of this method. GET /v1/destinations lists the destinations.',
  'The available balance does not cover the amount and its fees. Send a smaller amount.',
  'This is the first payout of the merchant to this destination. Check the destination, then approve with confirm_new_destination: true and a new Idempotency-Key.',
  'The payout would exceed a daily limit. Approve the withdrawal on another day, or set a higher limit for the merchant.',
  'Withdrawals need a merchant that is active and verified and has fees. Ask the platform to complete the account.',
  'Production keys are available after an operator has approved the business account. Use the sandbox until then.',
  'This payment link no longer accepts payments. Read details.status.',
  'A payer has already paid this payment link, so you cannot cancel the link. To return the money, ask the platform.',
  'Another payment of this link is in progress. Wait until it ends.',
  'The server cannot reach the payment provider. Try again in a moment.',
  'You have already made this decision. Another operator must make the same decision before any money moves.',
  'You are or were a member of this merchant, or you created one of its API keys. Another operator must decide.',
  'The merchant already has the maximum number of active keys in this environment. Revoke a key that no server uses.',
  'An operator has paused these payouts. Wait until an operator ends the pause.',
  'The merchant already has the maximum number of webhook endpoints in this environment. Delete an endpoint that no server uses.',
])

// A message can match several patterns. The longest pattern is the most specific, so it comes first. A value never contains the
// end of a sentence.
const PATTERNS = Object.entries(SWAHILI)
  .toSorted(([one], [other]) => other.length - one.length)
  .map(([api, sw]) => {
    const parts = api.split('{}').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return { pattern: new RegExp(`^${parts.join('((?:(?!\\. [A-Z]).)*?)')}$`, 's'), sw }
  })

/** Groups the digits of amounts: "1000000.00" becomes "1,000,000". */
function grouped(text: string): string {
  return text.replace(/\b\d{4,}\.\d{2}\b/g, (amount) =>
    amount.replace(/\.00$/, '').replace(/\B(?=(\d{3})+(?!\d))/g, ','),
  )
}

/** Translates a message of the API into Swahili. Null means that the message has no translation. */
export function inSwahili(message: string): string | null {
  for (const { pattern, sw } of PATTERNS) {
    const [found, ...values] = pattern.exec(message) ?? []
    if (found === undefined) continue
    return sw.replaceAll('{}', () => {
      const value = values.shift() ?? ''
      // A value is a plural ending, a nested message, or plain text.
      return value === 's' ? '' : (inSwahili(value) ?? grouped(value))
    })
  }
  // If a message has several sentences, `inSwahili` translates each sentence separately.
  const sentences = message.split(/(?<=\.) (?=[A-Z])/)
  if (sentences.length < 2) return null
  const all = sentences.map(inSwahili)
  return all.includes(null) ? null : all.join(' ')
}

/**
 * Returns a message of the API as a whole sentence in this language. An empty text means that problem-texts.ts has a text for
 * the error code. Null means that the message has no translation.
 */
export function translate(message: string, language: 'sw' | 'en'): string | null {
  if (BY_CODE.has(message)) return ''
  if (language === 'sw') return inSwahili(message)
  return /^[a-z"]/.test(message) ? `This ${message}${/[.!?]$|:\/\/$/.test(message) ? '' : '.'}` : grouped(message)
}
