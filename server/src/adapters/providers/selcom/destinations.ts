// Where Selcom pays out to: its names of networks and banks, and the product that reaches each.

import type { PayoutMethod } from '../port.ts'

/** A product of the gateway that pays out. Each knows its own transactions only, so a payout never changes its product. */
export type Rail = 'walletcashin' | 'selcompesa' | 'qwiksend'

/** A way to a destination: the product, and the destination's name there. */
export type Route = { rail: Rail; code: string }

/** The name under which the provider's own wallet and bank are reached. */
export const SELCOM_PESA_CODE = 'SPSCASHIN'

/** The product that serves each way of paying out: whatever becomes of a code, what was sent by it is asked of it. */
export const RAILS: Readonly<Record<PayoutMethod, Rail>> = {
  MOBILE_MONEY: 'walletcashin',
  PROVIDER_PESA: 'selcompesa',
  BANK_ACCOUNT: 'qwiksend',
}

/** Their names of our neutral codes. A destination that is not here cannot be reached. */
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

/** The neutral codes of every destination that can be reached. */
export const SELCOM_DESTINATIONS: readonly string[] = Object.values(CODES).flatMap((codes) => Object.keys(codes))

/** The way to a destination, or null when there is none. */
export function routeTo(method: PayoutMethod, destination_code: string): Route | null {
  const codes = CODES[method]
  const code = Object.hasOwn(codes, destination_code) ? codes[destination_code] : undefined
  return code === undefined ? null : { rail: RAILS[method], code }
}
