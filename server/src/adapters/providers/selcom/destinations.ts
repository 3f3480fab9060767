// The destinations of Selcom's payouts: its codes of networks and banks, and the product for each.

import type { PayoutMethod } from '../port.ts'

/** A payout product of the gateway. Each product has its own transactions, so a payout never changes its product. */
export type SelcomRail = 'walletcashin' | 'selcompesa' | 'qwiksend'

/** The product for a destination and the destination's code in it. */
export type SelcomRoute = { rail: SelcomRail; code: string }

/** The code of the provider's own wallet and bank. */
export const SELCOM_PESA_CODE = 'SPSCASHIN'

/** The product for each payout method. The adapter queries a payout at the product that sent the payout. */
export const RAILS: Readonly<Record<PayoutMethod, SelcomRail>> = {
  MOBILE_MONEY: 'walletcashin',
  PROVIDER_PESA: 'selcompesa',
  BANK_ACCOUNT: 'qwiksend',
}

/** Selcom's codes by neutral code. A destination without a code in this table is unreachable. */
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

/** The neutral codes of all reachable destinations. */
export const SELCOM_DESTINATIONS: readonly string[] = Object.values(CODES).flatMap((codes) => Object.keys(codes))

/** Finds the route to a destination. Returns null if the destination is unreachable. */
export function routeTo(method: PayoutMethod, destination_code: string): SelcomRoute | null {
  const codes = CODES[method]
  const code = Object.hasOwn(codes, destination_code) ? codes[destination_code] : undefined
  return code === undefined ? null : { rail: RAILS[method], code }
}
