// Contains further words by which the search finds pages and actions. The user may type them in either language.

/** The further words of some pages, by their path below the environment or the console. */
const WORDS: Readonly<Record<string, string>> = {
  profile: 'logo colour color brand branding support contact nembo rangi mawasiliano',
  members: 'team staff users people invite roles timu wafanyakazi alika mwaliko majukumu',
  account: 'profile password name e-mail email language wasifu nywila jina barua pepe lugha',
  sessions: 'sign out devices browsers security passkey ondoka vifaa usalama',
  addresses: 'allowlist whitelist security usalama',
  keys: 'secret token credentials siri',
  webhooks: 'events notifications callback delivery deliveries endpoint failed matukio anwani',
  requests: 'logs errors kumbukumbu makosa',
  collections: 'payments received customers mapato wateja',
  links: 'pay request checkout omba',
  invoices: 'bills ankara bili',
  withdrawals: 'payouts send money disbursements tuma pesa',
  recipients: 'beneficiaries payees walengwa',
  transactions: 'ledger postings balance salio',
  statements: 'accounting export csv pdf download uhasibu pakua',
  notifications: 'e-mail email alerts summaries barua pepe muhtasari',
  messages: 'sms e-mail email barua pepe',
  activity: 'history log changes mabadiliko',
  decisions: 'approve approval second four-eyes idhini idhinisha',
  audit: 'history log changes mabadiliko',
  operators: 'team staff users people roles invite alika mwaliko timu wafanyakazi majukumu',
  merchants: 'businesses shops owners wafanyabiashara maduka',
  system: 'status health version toleo afya',
}

/** Returns the further words of the page at this path, in lower case. */
export function searchWordsOf(path: string): string {
  return WORDS[path.replace(/^(live|sandbox)\//, '').replace(/\?.*$/, '')] ?? ''
}
