// Contains the Swahili translations of the messages of `admin doctor`, which the server writes in English.

import { agoInSwahili } from '../../ui/ago.ts'

/** The translation of each message. `{}` takes the place of a value. Both languages have the values in the same order. */
const SWAHILI: Readonly<Record<string, string>> = {
  // Versions, settings, disks and backups
  'Malipo {}, Node {}': 'Malipo {}, Node {}',
  'Malipo {}, Node {}: start the programs with npm or the package, which bring Node {}':
    'Malipo {}, Node {}: anzisha programu kwa npm au kwa kifurushi, ambavyo huleta Node {}',
  'valid, and none is dangerous': 'ni sahihi, na hakuna ulio hatari',
  '{}. The check does not include the disk of a database on another machine':
    '{}. Ukaguzi huu hauhusu diski ya hifadhidata iliyo kwenye mashine nyingine',
  '{}, less than 10 %: free space, or enlarge the disk': '{}, chini ya 10 %: futa vitu, au ongeza diski',
  '{} MB free, less than DISK_FREE_MIN_MB ({}), so the server is not ready: free space, or enlarge the disk':
    '{} MB wazi, chini ya DISK_FREE_MIN_MB ({}), kwa hiyo seva haiko tayari: futa vitu, au ongeza diski',
  '{} has {} MB free': '{} ina MB {} wazi',
  'the age of the backups is not known: set BACKUP_STATUS_FILE, and let the backup job write that file at the end of each good backup':
    'umri wa nakala rudufu haujulikani: weka BACKUP_STATUS_FILE, na kazi ya nakala iandike faili hilo mwishoni mwa kila nakala nzuri',
  'BACKUP_STATUS_FILE {} does not exist or is not readable: no backup has ended, or the path is wrong':
    'faili la BACKUP_STATUS_FILE {} halipo au halisomeki: hakuna nakala iliyokamilika, au njia si sahihi',
  'the last backup ended {} ago': 'nakala ya mwisho ilikamilika {} zilizopita',
  'the last backup ended {} ago: check the backup job':
    'nakala ya mwisho ilikamilika {} zilizopita: kagua kazi ya nakala',
  // Database
  'PostgreSQL {}': 'PostgreSQL {}',
  'the database is a standby and accepts no writes: let DATABASE_URL name the primary':
    'hifadhidata hii ni ya akiba na haipokei maandishi: DATABASE_URL itaje hifadhidata kuu',
  'the database does not answer ({}): check DATABASE_URL, and that PostgreSQL runs':
    'hifadhidata haijibu ({}): kagua DATABASE_URL, na kwamba PostgreSQL inafanya kazi',
  'not checked, because the check "database" did not succeed':
    'haijakaguliwa, kwa sababu ukaguzi wa hifadhidata haukufanikiwa',
  'one statement takes {} ms': 'amri moja inachukua ms {}',
  'one statement takes {} ms: run the server in the same network as the database':
    'amri moja inachukua ms {}: endesha seva kwenye mtandao mmoja na hifadhidata',
  'the database keeps committed payments after a crash':
    'hifadhidata inabaki na malipo iliyoyahifadhi, hata ikizimika ghafla',
  'no migration is pending': 'muundo ni wa toleo hili',
  '{} migrations are pending ({}): run "{}", or start the new version':
    'hatua {} za muundo hazijafanywa ({}): endesha "{}", au anzisha toleo jipya',
  'the role of the server cannot rewrite history': 'seva haina haki ya kubadilisha historia',
  'a role has too many rights: {}': 'role moja ina haki nyingi mno: {}',
  'DATABASE_URL names a superuser, from which the database cannot protect its history: "{}" prints the SQL statements for two roles':
    'DATABASE_URL inataja superuser, ambaye anaweza kubadilisha historia: "{}" inaonyesha amri za SQL za role mbili tofauti',
  'PostgreSQL checks its pages, and found no damaged page':
    'PostgreSQL inakagua kurasa zake, na haijapata ukurasa ulioharibika',
  'data checksums are off, so PostgreSQL does not notice a damaged page. Stop PostgreSQL, run "pg_checksums --enable -D" with its data directory, and start PostgreSQL again':
    'PostgreSQL haikagui kurasa zake (data checksums), kwa hiyo haitambui ukurasa ulioharibika. Isimamishe, endesha "pg_checksums --enable -D" kwa folda yake, kisha ianzishe tena',
  'PostgreSQL read damaged pages {} times, the last time at {}: pause the payouts, and follow "A corrupted page" of docs/operate/disasters.md':
    'PostgreSQL imesoma kurasa zilizoharibika mara {}, mara ya mwisho {}: simamisha utoaji pesa, na ufuate "A corrupted page" ya docs/operate/disasters.md',
  'the clocks of the machines and of the database differ by {} ms':
    'saa za mashine na za hifadhidata zinatofautiana kwa ms {}',
  'the clock of {} is {} ahead of the clock of the database: synchronise both clocks, for example with chrony or systemd-timesyncd':
    'saa ya {} iko mbele ya saa ya hifadhidata kwa {}: linganisha saa zote mbili, kwa mfano kwa chrony au systemd-timesyncd',
  'the clock of {} is {} behind the clock of the database: synchronise both clocks, for example with chrony or systemd-timesyncd':
    'saa ya {} iko nyuma ya saa ya hifadhidata kwa {}: linganisha saa zote mbili, kwa mfano kwa chrony au systemd-timesyncd',
  'this machine': 'mashine hii',
  'the machine of a process of the server': 'mashine ya mchakato mmoja wa seva',
  'the database has no standby': 'hifadhidata haina ya akiba',
  'standbys: {}': 'hifadhidata za akiba: {}',
  'a standby is {} behind: check its machine and network':
    'hifadhidata ya akiba iko nyuma kwa {}: kagua mashine na mtandao wake',
  'no standby uses the replication slot {}, so the log of the database grows: start the standby, or drop the slot':
    'hakuna hifadhidata ya akiba inayotumia slot {}, kwa hiyo log ya hifadhidata inakua: anzisha hifadhidata ya akiba, au ondoa slot',
  'PostgreSQL cannot archive its log: read the log of PostgreSQL and correct archive_command, before the disk is full':
    'PostgreSQL haiwezi kuhifadhi log yake: soma log ya PostgreSQL na urekebishe archive_command, kabla diski haijajaa',
  'DATABASE_READ_URL is empty: the primary answers all reads':
    'DATABASE_READ_URL ni tupu: hifadhidata kuu inajibu usomaji wote',
  'the read replica is {} bytes of the log behind': 'hifadhidata ya kusoma iko nyuma kwa baiti {} za log',
  'the read replica has to replay {} MB: check its machine. {}':
    'hifadhidata ya kusoma iko nyuma kwa MB {}: kagua mashine yake. {}',
  'the read replica does not answer ({}): check DATABASE_READ_URL and its machine. {}':
    'hifadhidata ya kusoma haijibu ({}): kagua DATABASE_READ_URL na mashine yake. {}',
  'DATABASE_READ_URL names no replica of DATABASE_URL: {}. Correct it. {}':
    'DATABASE_READ_URL haitaji nakala ya DATABASE_URL: {}. Irekebishe. {}',
  '{} of {} connections are open, and one process needs {} with this DATABASE_CONNECTIONS':
    'miunganisho {} kati ya {} iko wazi, na mchakato mmoja unahitaji {} kwa DATABASE_CONNECTIONS hii',
  '{} of {} connections are open, and {} processes need {} with this DATABASE_CONNECTIONS':
    'miunganisho {} kati ya {} iko wazi, na michakato {} inahitaji {} kwa DATABASE_CONNECTIONS hii',
  '{}: raise max_connections of PostgreSQL, or lower DATABASE_CONNECTIONS':
    '{}: ongeza max_connections ya PostgreSQL, au punguza DATABASE_CONNECTIONS',
  // Books, restores and anchors
  'the last good verify ended {} ago': 'uhakiki mzuri wa mwisho ulikamilika {} zilizopita',
  'the last good verify ended {} ago, and VERIFY_EVERY_H is {}: check that a worker runs, and run "{}"':
    'uhakiki mzuri wa mwisho ulikamilika {} zilizopita, na VERIFY_EVERY_H ni {}: hakikisha worker anafanya kazi, na uendeshe "{}"',
  'the last verify found {} contradictions ({}): {}, and read docs/operate/runbooks.md':
    'uhakiki wa mwisho ulikuta migongano {} ({}): {}, na usome docs/operate/runbooks.md',
  'VERIFY_EVERY_H is 0, so no worker verifies the books: set VERIFY_EVERY_H, and check the books now with "{}"':
    'VERIFY_EVERY_H ni 0, kwa hiyo hakuna worker anayehakiki vitabu: weka VERIFY_EVERY_H, na uhakiki vitabu sasa kwa "{}"',
  'no worker has verified the books yet. A worker does so every {} hours, first 10 minutes after its start: keep a server or worker running, and check the books now with "{}"':
    'hakuna worker aliyehakiki vitabu bado. Worker huhakiki kila baada ya saa {}, na mara ya kwanza dakika 10 baada ya kuanza: acha seva au worker akifanya kazi, na uhakiki vitabu sasa kwa "{}"',
  'BACKUP_DIR is not set, so no process archives or checks backups: see docs/operate/backup.md':
    'BACKUP_DIR haijawekwa, kwa hiyo hakuna mchakato unaohifadhi au kukagua nakala: soma docs/operate/backup.md',
  'this program does not restore the backups of a PostgreSQL of your own: restore one each quarter (docs/operate/backup.md)':
    'programu hii hairejeshi nakala za PostgreSQL yako mwenyewe: rejesha moja kila robo mwaka (docs/operate/backup.md)',
  'no worker has checked a backup yet: the first check begins ten minutes after the start':
    'hakuna worker aliyekagua nakala bado: ukaguzi wa kwanza huanza dakika kumi baada ya kuanza',
  'no check was good': 'hakuna ukaguzi uliofanikiwa',
  'the last good check ended {} ago': 'ukaguzi mzuri wa mwisho ulikamilika {} zilizopita',
  '{}: check that a worker runs': '{}: hakikisha worker anafanya kazi',
  'the last check of the newest backup failed ({}); {}: make a backup, or repair the cause':
    'ukaguzi wa mwisho wa nakala mpya umeshindwa ({}); {}: tengeneza nakala, au rekebisha chanzo',
  'a worker restored the backup {} into a scratch folder; {}': 'worker amerejesha nakala {} kwenye folda ya muda; {}',
  'the audit log has no anchor yet: check that a worker runs':
    'historia ya shughuli bado haina ithibati: hakikisha worker anafanya kazi',
  'anchor {}, of {}, covers {} entries of the audit log':
    'ithibati {}, ya {}, inahusu rekodi {} za historia ya shughuli',
  '{}, and no newer anchor exists: check that a worker runs':
    '{}, na hakuna ithibati mpya zaidi: hakikisha worker anafanya kazi',
  '{}, and the worker cannot write AUDIT_ANCHOR_FILE: {}: see docs/operate/audit-anchors.md':
    '{}, na worker hawezi kuandika AUDIT_ANCHOR_FILE: {}: soma docs/operate/audit-anchors.md',
  '{}, and AUDIT_ANCHOR_URL has only anchor {}: {}: see docs/operate/audit-anchors.md':
    '{}, na AUDIT_ANCHOR_URL ina ithibati {} tu: {}: soma docs/operate/audit-anchors.md',
  'run "{}"': 'endesha "{}"',
  'Until then the primary answers its reads': 'Kwa sasa hifadhidata kuu inajibu usomaji wake',
  'a migration is half applied: the index {} is not complete. As the owner, run "reindex index concurrently {}", then check again':
    'hatua moja ya muundo imefanywa nusu: index {} haijakamilika. Kama mmiliki, endesha "reindex index concurrently {}", kisha kagua tena',
  'not separated: {} has the rights of the owner of {}, migrates, and serves requests; "{}" prints the SQL statements for two roles':
    'haki hazijatenganishwa: {} ana haki za mmiliki wa {}, anabadilisha muundo, na anahudumia maombi; "{}" inaonyesha amri za SQL za role mbili tofauti',
  '{} of the database is off (source: {}): a crash of the machine can destroy the database. Set {} in postgresql.conf and reload the server':
    '{} ya hifadhidata imezimwa (chanzo: {}): mashine ikizimika ghafla, hifadhidata inaweza kuharibika. Weka {} kwenye postgresql.conf na upakie upya seva',
  '{} of the database is off (source: {}): a crash of the machine can destroy pages of the database. Set {} in postgresql.conf and reload the server. If the storage of the database never leaves a page half written, such as ZFS, set {} instead':
    '{} ya hifadhidata imezimwa (chanzo: {}): mashine ikizimika ghafla, kurasa za hifadhidata zinaweza kuharibika. Weka {} kwenye postgresql.conf na upakie upya seva. Kama hifadhi haiachi kamwe ukurasa ulioandikwa nusu, kama ZFS, weka {} badala yake',
  '{} of the database is off (source: {}): a crash can lose payments that the server acknowledged. Remove the setting from {}':
    '{} ya hifadhidata imezimwa (chanzo: {}): malipo ambayo seva ilikubali yanaweza kupotea ikizimika ghafla. Ondoa mpangilio huu kwenye {}',
  // Dangerous settings
  '{} is not production, so the server makes demo users and accepts insecure settings':
    '{} si production, kwa hiyo seva inatengeneza watumiaji wa maonyesho na inakubali mipangilio isiyo salama',
  '{} is off: one operator can move any amount': '{} imezimwa: mwendeshaji mmoja anaweza kuhamisha kiasi chochote',
  '{} is 0: an old session can move money': '{} ni 0: aliyeingia zamani anaweza kuhamisha pesa',
  '{} lets webhooks reach private addresses': '{} inaruhusu webhook kufika anwani za ndani',
  '{} lets live payments move no money': '{} inaruhusu malipo halisi yasiyohamisha pesa',
  '{} allows a connection to the database without verified TLS':
    '{} inaruhusu muunganisho wa hifadhidata bila TLS iliyohakikiwa',
  '{} is safe only on storage such as ZFS': '{} ni salama kwenye hifadhi kama ZFS tu',
  '{} is empty: every address reaches the sign-in of operators':
    '{} ni tupu: kila anwani inafika kwenye ukurasa wa kuingia wa waendeshaji',
  '{} is 0: an address can try credentials without a limit': '{} ni 0: anwani moja inaweza kujaribu nywila bila kikomo',
  // Network
  'a worker uses no port': 'worker hatumii mlango',
  'a server answers on port {}': 'seva inajibu kwenye mlango {}',
  'another program uses port {}: stop that program, or set PORT to a free port':
    'programu nyingine inatumia mlango {}: isimamishe, au weka PORT iwe mlango ulio wazi',
  'another program uses port {}, or the server does not answer ({}): stop that program, or set PORT':
    'programu nyingine inatumia mlango {}, au seva haijibu ({}): isimamishe, au weka PORT',
  'no server listens at {}: start the server, or set PORT and HOST to those of the running server':
    'hakuna seva inayosikiliza kwenye {}: anzisha seva, au weka PORT na HOST za seva inayofanya kazi',
  'BASE_URL is empty, so providers on other machines cannot send callbacks: set BASE_URL to the public https address':
    'BASE_URL ni tupu, kwa hiyo watoa huduma walio kwenye mashine nyingine hawawezi kutuma majibu: weka BASE_URL iwe anwani ya umma ya https',
  'BASE_URL {} answers. Providers need the same address from outside of your network':
    'BASE_URL {} inajibu. Watoa huduma wanahitaji anwani hiyo hiyo kutoka nje ya mtandao wako',
  'BASE_URL {}/healthz answers {}, but not as a server of Malipo: {}':
    'BASE_URL {}/healthz inajibu {}, lakini si kama seva ya Malipo: {}',
  'BASE_URL {} does not answer ({}): {}': 'BASE_URL {} haijibu ({}): {}',
  'BASE_URL has no https: set BASE_URL to the public https address':
    'BASE_URL haina https: weka BASE_URL iwe anwani ya umma ya https',
  'BASE_URL has no https: for production, set BASE_URL to the public https address':
    'BASE_URL haina https: kwa matumizi halisi, weka BASE_URL iwe anwani ya umma ya https',
  'this machine cannot check the certificate of {} ({}): renew the certificate, or correct the reverse proxy':
    'mashine hii haiwezi kukagua cheti cha {} ({}): pata cheti kipya, au rekebisha reverse proxy',
  'the certificate of {} is valid for {} days': 'cheti cha {} kina siku {} zilizobaki',
  'the certificate of {} is valid for {} days: renew the certificate':
    'cheti cha {} kina siku {} zilizobaki: pata cheti kipya',
  'no provider has a gateway: the mock provider runs in the server':
    'hakuna mtoa huduma aliye nje: seva yenyewe inaigiza mtoa huduma',
  'the gateways answer: {}': 'watoa huduma wanajibu: {}',
  "this machine cannot connect to {}: check the address of the gateway, the firewall, and that the provider allows this machine's address":
    'mashine hii haiwezi kuunganishwa na {}: kagua anwani ya mtoa huduma, firewall, na kwamba mtoa huduma anaruhusu anwani ya mashine hii',
  'e-mails stay in the outbox: set SMTP_URL and MAIL_FROM':
    'barua pepe hazitumwi, zinabaki kwenye seva: weka SMTP_URL na MAIL_FROM',
  'this machine cannot connect to the mail server of SMTP_URL ({}): check its host and port':
    'mashine hii haiwezi kuunganishwa na seva ya barua pepe ya SMTP_URL ({}): kagua jina na mlango wake',
  'the mail server answers. --send-test-to sends a test e-mail':
    'seva ya barua pepe inajibu. --send-test-to hutuma barua pepe ya kujaribu',
  'the mail server accepted a test e-mail to {}': 'seva ya barua pepe imepokea barua pepe ya kujaribu kwenda {}',
  'the mail server did not accept the test e-mail ({}): check SMTP_URL and MAIL_FROM':
    'seva ya barua pepe haikupokea barua pepe ya kujaribu ({}): kagua SMTP_URL na MAIL_FROM',
  'the SMS gateway accepted a test SMS': 'mtoa huduma wa SMS amepokea SMS ya kujaribu',
  'the SMS gateway did not accept the test SMS ({}): check AFRICASTALKING_USERNAME and its key':
    'mtoa huduma wa SMS hakupokea SMS ya kujaribu ({}): kagua AFRICASTALKING_USERNAME na ufunguo wake',
  'SMS stay in the outbox: set SMS_GATEWAY': 'SMS hazitumwi, zinabaki kwenye seva: weka SMS_GATEWAY',
  'this machine cannot connect to the SMS gateway ({}): check AFRICASTALKING_URL and the firewall':
    'mashine hii haiwezi kuunganishwa na mtoa huduma wa SMS ({}): kagua AFRICASTALKING_URL na firewall',
  'the SMS gateway answers. --send-test-to sends a test SMS':
    'mtoa huduma wa SMS anajibu. --send-test-to hutuma SMS ya kujaribu',
}

// A message can match several patterns. The longest pattern is the most specific, so it comes first.
const PATTERNS = Object.entries(SWAHILI)
  .toSorted(([one], [other]) => other.length - one.length)
  .map(([en, sw]) => {
    const parts = en.split('{}').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return { pattern: new RegExp(`^${parts.join('(.*?)')}$`, 's'), sw }
  })

const UNITS: Readonly<Record<string, string>> = { second: 'sekunde', minute: 'dakika', hour: 'saa', day: 'siku' }

/** Translates a message of a check into Swahili. Null means that the message has no translation. */
export function checkInSwahili(message: string): string | null {
  for (const { pattern, sw } of PATTERNS) {
    const [found, ...values] = pattern.exec(message) ?? []
    if (found === undefined) continue
    const text = sw.replaceAll('{}', () => valueInSwahili(values.shift() ?? ''))
    return text.replaceAll(/((?:sekunde|dakika|saa|siku) \d+) zilizopita/g, (_, age: string) => agoInSwahili(age))
  }
  // A check with several problems lists them. `checkInSwahili` translates each problem separately.
  const problems = message.split('; ')
  const all = problems.length > 1 ? problems.map(checkInSwahili) : [null]
  return all.includes(null) ? null : all.join('; ')
}

/** Translates a part of a message: a nested message, a list of messages, or a duration. Other values stay as they are. */
function valueInSwahili(value: string): string {
  const parts = value.split('; ')
  if (parts.length > 1) return parts.map(valueInSwahili).join('; ')
  const duration = /^(\d+) (second|minute|hour|day)s?$/.exec(value)
  if (duration) return `${UNITS[duration[2] ?? '']} ${duration[1]}`
  return checkInSwahili(value) ?? value
}
