// Lists the destinations of withdrawals: networks, the wallet of the provider, and banks, each with a neutral code, a name and
// aliases.

/** The methods of a withdrawal. Each method has one kind of destinations. */
export type DestinationMethod = 'MOBILE_MONEY' | 'BANK_ACCOUNT' | 'PROVIDER_PESA'

/** A destination: a network, a wallet or a bank. */
export type Destination = { code: string; name: string; method: DestinationMethod; aliases: readonly string[] }

const mobileNetwork = (code: string, name: string, ...aliases: string[]): Destination => ({
  code,
  name,
  method: 'MOBILE_MONEY',
  aliases,
})
const bank = (code: string, name: string, ...aliases: string[]): Destination => ({
  code,
  name,
  method: 'BANK_ACCOUNT',
  aliases,
})

/** Every destination. The meaning of a code never changes, because price lists and withdrawals store the code. */
export const DESTINATIONS: readonly Destination[] = [
  mobileNetwork('MPESA', 'M-Pesa (Vodacom)', 'VODACOM', 'VODA', 'M_PESA', 'VODACOM_MPESA'),
  mobileNetwork('AIRTEL', 'Airtel Money', 'AIRTELMONEY', 'AIRTEL_MONEY'),
  mobileNetwork('MIXX', 'Mixx by Yas', 'TIGO', 'TIGOPESA', 'TIGO_PESA', 'YAS', 'MIXX_BY_YAS'),
  mobileNetwork('HALOPESA', 'HaloPesa', 'HALOTEL', 'HALO', 'HALO_PESA'),
  mobileNetwork('TTCL', 'T-Pesa (TTCL)', 'TTCL_PESA', 'TTCLPESA', 'T_PESA', 'TPESA'),
  mobileNetwork('EZYPESA', 'EzyPesa', 'ZANTEL', 'EZY_PESA'),
  { code: 'PROVIDER_PESA', name: 'Provider Pesa wallet', method: 'PROVIDER_PESA', aliases: ['SELCOM_PESA', 'SELCOM'] },
  bank('ABSA', 'Absa Bank'),
  bank('ACCESS', 'Access Bank', 'BANCABC', 'ACCESS_BANK'),
  bank('AKIBA', 'Akiba Commercial Bank', 'ACB'),
  bank('AMANA', 'Amana Bank', 'AMANABANK'),
  bank('AZANIA', 'Azania Bank'),
  bank('BARODA', 'Bank of Baroda', 'BANKOFBARODA', 'BANK_OF_BARODA'),
  bank('BOA', 'Bank of Africa', 'BANK_OF_AFRICA'),
  bank('BOI', 'Bank of India', 'BANKOFINDIA', 'BANK_OF_INDIA'),
  bank('CHINA_DASHENG', 'China Dasheng Bank', 'CHINADASHENG', 'CDB'),
  bank('CITI', 'Citibank', 'CITIBANK'),
  bank('CRDB', 'CRDB Bank', 'CRDBBANK', 'CRDB_BANK'),
  bank('DCB', 'DCB Commercial Bank', 'DCBBANK'),
  bank('DTB', 'Diamond Trust Bank', 'DIAMOND_TRUST'),
  bank('ECOBANK', 'Ecobank'),
  bank('EQUITY', 'Equity Bank', 'EQUITYBANK', 'EQUITY_BANK'),
  bank('EXIM', 'Exim Bank', 'EXIMBANK', 'EXIM_BANK'),
  bank('FINCA', 'FINCA Microfinance Bank'),
  bank('GTB', 'Guaranty Trust Bank', 'GTBANK'),
  bank('HABIB', 'Habib African Bank', 'HABIBBANK'),
  bank('ICB', 'International Commercial Bank'),
  bank('IMBANK', 'I&M Bank', 'I_AND_M'),
  bank('KCB', 'KCB Bank'),
  bank('KILIMANJARO', 'Kilimanjaro Co-operative Bank', 'KCBL'),
  bank('LETSHEGO', 'Letshego Bank'),
  bank('MAENDELEO', 'Maendeleo Bank'),
  bank('MKOMBOZI', 'Mkombozi Commercial Bank'),
  bank('MWALIMU', 'Mwalimu Commercial Bank'),
  bank('MWANGA', 'Mwanga Hakika Bank', 'MWANGA_HAKIKA'),
  bank('NBC', 'National Bank of Commerce'),
  bank('NCBA', 'NCBA Bank'),
  bank('NMB', 'NMB Bank', 'NMB_BANK'),
  bank('PBZ', "People's Bank of Zanzibar"),
  bank('SELCOM_MFB', 'Selcom Microfinance Bank', 'SELCOM_BANK'),
  bank('STANBIC', 'Stanbic Bank'),
  bank('STANDARD_CHARTERED', 'Standard Chartered Bank', 'SCB'),
  bank('TCB', 'Tanzania Commercial Bank', 'TPB'),
  bank('UBA', 'United Bank for Africa'),
  bank('UCHUMI', 'Uchumi Commercial Bank'),
]

const BY_NAME = new Map(
  DESTINATIONS.flatMap((destination) =>
    [destination.code, ...destination.aliases].map((name) => [name, destination] as const),
  ),
)

/**
 * Finds a destination by code or alias, in upper or lower case, with hyphens or spaces instead of _. Null means that no
 * destination has this code or alias.
 */
export function findDestination(name: string): Destination | null {
  return BY_NAME.get(name.trim().toUpperCase().replace(/[ -]/g, '_')) ?? null
}
