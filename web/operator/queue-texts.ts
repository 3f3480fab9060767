// Contains the texts of the work queue.

import { agoInSwahili } from '../ui/ago.ts'
import { texts } from '../ui/language.ts'
import type { QueueItem } from './operator.ts'

type Kinds = Record<QueueItem['kind'], { name: string; what: string }>

/** The name of each kind of waiting records, and the task of the operator. */
export const queueTexts = texts({
  sw: {
    key_next: 'Kazi inayofuata; Enter inaifungua',
    key_previous: 'Kazi iliyotangulia',
    title: 'Yanayosubiri',
    lead: 'Kazi za waendeshaji zilizo wazi, za haraka kwanza. Ukurasa unajisasisha wenyewe.',
    environment: 'Mazingira',
    kind: 'Kazi',
    count: 'Idadi',
    oldest: 'Ya zamani zaidi',
    amount: 'Kiasi',
    age: agoInSwahili,
    nothing: 'Foleni imekwisha: hakuna kinachosubiri',
    nothing_in: { live: 'Hakuna kazi kwenye Halisi', sandbox: 'Hakuna kazi kwenye Majaribio' },
    nothing_teach: 'Hakuna kazi iliyo wazi. Kazi mpya itaonekana hapa yenyewe.',
    done: 'Hazina kazi kwa sasa',
    other_environment: {
      sandbox: (count: string) => `Kwenye Majaribio yanasubiri: ${count}`,
      live: (count: string) => `Kwenye Halisi yanasubiri: ${count}`,
    },
    sandbox: 'Unaona rekodi za majaribio. Hakuna pesa halisi.',
    warned: (count: string, oldest: string | null) =>
      oldest === null ? `Wenye tahadhari: ${count}` : `Wenye tahadhari: ${count} kati ya ${oldest} wa zamani zaidi`,
    four_eyes: (amount: string) =>
      `Kuanzia ${amount} kwa siku (utoaji wa biashara, utoaji kwa mpokeaji, au marekebisho ya biashara) waendeshaji wawili tofauti lazima waamue.`,
    four_eyes_off: 'FOUR_EYES_AMOUNT=off: mwendeshaji mmoja peke yake anaweza kuhamisha kiasi chochote.',
    old_title: 'Uliingia muda mrefu uliopita',
    old: (age: string) =>
      `Uliingia ${agoInSwahili(age)}. Utaombwa kuthibitisha kuwa ni wewe kabla ya kuhamisha pesa. Unaweza pia kuingia tena sasa.`,
    fresh: (minutes: number) =>
      `Kuhamisha pesa kunahitaji uwe umeingia au umethibitisha ndani ya dakika ${minutes} zilizopita.`,
    sign_in: 'Ingia tena sasa',
    kinds: {
      withdrawals_waiting: { name: 'Utoaji pesa unaosubiri idhini', what: 'Idhinisha, kataa au uliza.' },
      withdrawals_info_requested: {
        name: 'Utoaji pesa unaosubiri jibu la biashara',
        what: 'Mwendeshaji ameuliza; biashara haijajibu bado.',
      },
      withdrawals_needs_reconciliation: {
        name: 'Utoaji pesa usio na jibu la uhakika',
        what: 'Huenda umelipwa. Hakikisha kwa mtoa huduma, kisha amua.',
      },
      withdrawals_blocked: {
        name: 'Utoaji pesa uliozuiwa upande wetu',
        what: 'Haujalipwa. Rekebisha chanzo, kisha utume tena.',
      },
      withdrawals_needs_attention: {
        name: 'Utoaji pesa wenye taarifa zinazopingana',
        what: 'Mtoa huduma au vitabu vinapingana. Chunguza, kisha amua.',
      },
      collections_held: { name: 'Malipo yaliyozuiwa', what: 'Amua kama pesa ni za biashara au zirudi kwa mlipaji.' },
      merchants_to_check: { name: 'Biashara za kukaguliwa', what: 'Idhinisha na uthibitishe.' },
      ip_addresses_pending: { name: 'Anwani za IP zinazosubiri', what: 'Kubali au kataa.' },
      reconciliation_exceptions: {
        name: 'Tofauti za ulinganisho',
        what: 'Taarifa ya mtoa huduma na vitabu vyetu havilingani.',
      },
      webhooks_failing: {
        name: 'Biashara ambazo webhook zinashindwa',
        what: 'Seva zao hazipokei matukio. Zijulishe biashara.',
      },
    } as Kinds,
  },
  en: {
    key_next: 'Next line; Enter opens the line',
    key_previous: 'Previous line',
    title: 'Open work',
    lead: 'Open work of operators, the most urgent first. The page refreshes itself.',
    environment: 'Environment',
    kind: 'Work',
    count: 'Count',
    oldest: 'Oldest',
    amount: 'Amount',
    age: (age: string) => `for ${age}`,
    nothing: 'The queue is empty',
    nothing_in: { live: 'No work waits in live', sandbox: 'No work waits in the sandbox' },
    nothing_teach: 'There is no open work. New work appears here automatically.',
    done: 'Nothing to do at the moment',
    other_environment: {
      sandbox: (count: string) => `Waiting in the sandbox: ${count}`,
      live: (count: string) => `Waiting in live: ${count}`,
    },
    sandbox: 'These are sandbox records. No real money.',
    warned: (count: string, oldest: string | null) =>
      oldest === null ? `${count} with a warning` : `${count} of the oldest ${oldest} with a warning`,
    four_eyes: (amount: string) =>
      `From ${amount} a day on (payouts of a merchant, payouts to a recipient, or adjustments of a merchant), two different operators have to decide.`,
    four_eyes_off: 'FOUR_EYES_AMOUNT=off: one operator alone can move any amount.',
    old_title: 'Your sign-in is not recent',
    old: (age: string) =>
      `You signed in ${age} ago. Before money moves, the console asks you to confirm that it is you. You can also sign in again now.`,
    fresh: (minutes: number) =>
      `To move money you must have signed in or confirmed within the last ${minutes} minutes.`,
    sign_in: 'Sign in again now',
    kinds: {
      withdrawals_waiting: { name: 'Withdrawals that wait for approval', what: 'Approve, reject or ask.' },
      withdrawals_info_requested: {
        name: 'Withdrawals that wait for the merchant',
        what: 'An operator asked; the merchant has not answered yet.',
      },
      withdrawals_needs_reconciliation: {
        name: 'Withdrawals with an unknown outcome',
        what: 'The provider may have paid these payouts. Check with the provider, then decide.',
      },
      withdrawals_blocked: {
        name: 'Withdrawals blocked on our side',
        what: 'The provider did not pay these payouts. Fix the cause, then send the payouts again.',
      },
      withdrawals_needs_attention: {
        name: 'Withdrawals with contradicting reports',
        what: 'Reports of the provider, or the ledger, contradict each other. Investigate, then decide.',
      },
      collections_held: {
        name: 'Held payments',
        what: "Decide whether the money is the merchant's or goes back to the payer.",
      },
      merchants_to_check: { name: 'Merchants to check', what: 'Approve and verify each merchant.' },
      ip_addresses_pending: { name: 'IP addresses that wait', what: 'Approve or reject each address.' },
      reconciliation_exceptions: {
        name: 'Differences in reconciliation',
        what: "The provider's statement and our books disagree.",
      },
      webhooks_failing: {
        name: 'Merchants whose webhooks fail',
        what: 'Their servers do not accept events. Inform the merchants.',
      },
    },
  },
})
