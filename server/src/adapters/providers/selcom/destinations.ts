// Lists the destinations of Selcom's payouts: Selcom's codes of networks and banks, and the product for each payout method.

import type { PayoutMethod } from '../port.ts'

/** A payout product of the gateway. Each product has separate transactions, so a payout never changes its product. */
export type SelcomRail = 'walletcashin' | 'selcompesa' | 'qwiksend'

/** The product that reaches a destination, and the code of the destination in that product. */
export type SelcomRoute = { rail: SelcomRail; code: string }

/** The destination code of Selcom Pesa, the provider's own wallet and bank. */
export const SELCOM_PESA_CODE = 'SPSCASHIN'

/** The product for each payout method. The adapter queries a payout at the product that sent the payout. */
export const RAILS: Readonly<Record<PayoutMethod, SelcomRail>> = {
  MOBILE_MONEY: 'walletcashin',
  PROVIDER_PESA: 'selcompesa',
  BANK_ACCOUNT: 'qwiksend',
}

/** Selcom's codes by neutral code. A destination that is missing in this table is unreachable. */
const CODES: Record<PayoutMethod, Readonly<Record<string, string>>> = {
  MOBILE_MONEY: {
    MPESA: 'VMCASHIN',
    AIRTEL: 'AMCASHIN',
    MIXX: 'TPCASHIN',
    HALOPESA: 'HPCASHIN',
    TTCL: 'TTCASHIN',
    EZYPESA: 'EZCASHIN',
  },
  PROVIDER_PESA: { PROVIDER_PESA: SELCOM_PESA_CODE },
  BANK_ACCOUNT: {
    ABSA: 'ABSA',
    ACCESS: 'BANCABC',
    AKIBA: 'AKIBA',
    AMANA: 'AMANABANK',
    AZANIA: 'AZANIA',
    BARODA: 'BANKOFBARODA',
    BOA: 'BOA',
    BOI: 'BANKOFINDIA',
    CHINA_DASHENG: 'CHINADASHENG',
    CITI: 'CITIBANK',
    CRDB: 'CRDBBANK',
    DCB: 'DCBBANK',
    DTB: 'DTB',
    ECOBANK: 'ECOBANK',
    EQUITY: 'EQUITYBANK',
    EXIM: 'EXIMBANK',
    FINCA: 'FINCA',
    GTB: 'GTBANK',
    HABIB: 'HABIBBANK',
    ICB: 'ICB',
    IMBANK: 'IMBANK',
    KCB: 'KCB',
    KILIMANJARO: 'KILIMANJARO',
    LETSHEGO: 'LETSHEGO',
    MAENDELEO: 'MAENDELEO',
    MKOMBOZI: 'MKOMBOZI',
    MWALIMU: 'MWALIMU',
    MWANGA: 'MWANGA',
    NBC: 'NBC',
    NCBA: 'NCBA',
    NMB: 'NMB',
    PBZ: 'PBZ',
    SELCOM_MFB: SELCOM_PESA_CODE,
    STANBIC: 'STANBIC',
    TCB: 'TCB',
    UBA: 'UBA',
    UCHUMI: 'UCHUMI',
  },
}

/** The neutral codes of all destinations that Selcom reaches. */
export const SELCOM_DESTINATIONS: readonly string[] = Object.values(CODES).flatMap((codes) => Object.keys(codes))

/** Finds the product and the code for a destination. If the destination is unreachable, returns null. */
export function routeTo(method: PayoutMethod, destination_code: string): SelcomRoute | null {
  const codes = CODES[method]
  const code = Object.hasOwn(codes, destination_code) ? codes[destination_code] : undefined
  return code === undefined ? null : { rail: RAILS[method], code }
}
