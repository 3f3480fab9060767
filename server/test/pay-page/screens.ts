// Makes every screen of the pay page with example data, for the tests of the pages with and without a browser.

import { MAGIC_NUMBERS } from '../../src/adapters/providers/mock/magic.ts'
import type { MerchantFrame, Screen } from '../../src/apps/pay-page/index.ts'
import { qrSvg } from '../../src/kernel/documents/index.ts'
import type { Environment } from '../../src/kernel/http/index.ts'
import type { Language } from '../../src/kernel/lib/index.ts'

const SLUG = '/pay/3f9a1c20Xq7VbN2mK8sLw0aZtYcRdE'
const PAYMENT = `${SLUG}/c/0192f3a0-7b1c-8def-9012-3456789abcde`

/** Returns the frame of every screen for an ordinary shop. */
export function shop(language: Language, over: Partial<MerchantFrame> = {}): MerchantFrame {
  const sw = language === 'sw'
  return {
    language,
    url: `${SLUG}?lang=${language}`,
    brand_name: 'Malipo',
    merchant_name: 'Duka la Asha',
    look: {
      support_phone: '022 211 0000',
      support_email: 'duka@asha.example',
      support_address: 'Kariakoo, Dar es Salaam',
      accent_color: null,
      logo_hash: null,
    },
    prompt_name: 'DUKA LA ASHA',
    wallet_name: 'Provider Pesa',
    amount_minor: 2_500_000n,
    currency: 'TZS',
    description: sw ? 'Kitenge pea mbili, rangi ya bluu' : 'Two pairs of kitenge, blue',
    reference: 'ODA-1042',
    test: null,
    pay_path: SLUG,
    help_path: `${SLUG}/help`,
    help: [
      {
        code: 'MPESA',
        name: 'M-Pesa',
        menu_code: '*150*00#',
        help: sw ? 'Chagua Lipa kwa M-Pesa.' : 'Choose Pay by M-Pesa.',
      },
      {
        code: 'MIXX',
        name: 'Mixx by Yas',
        menu_code: '*150*01#',
        help: sw ? 'Chagua Lipa bili.' : 'Choose Pay bills.',
      },
      {
        code: 'AIRTEL',
        name: 'Airtel Money',
        menu_code: '*150*60#',
        help: sw ? 'Chagua Lipia.' : 'Choose Make payments.',
      },
      { code: 'HALOPESA', name: 'HaloPesa', menu_code: '*150*88#', help: sw ? 'Chagua Lipa.' : 'Choose Pay.' },
      { code: 'TTCL', name: 'T-Pesa', menu_code: null, help: sw ? 'Piga huduma kwa wateja.' : 'Call customer care.' },
    ],
    ...over,
  }
}

/** Returns the frame of every screen for a shop on a mock installation, by default of a live link. */
export function testShop(language: Language, environment: Environment = 'live'): MerchantFrame {
  const outcomes = MAGIC_NUMBERS.map(({ ending, happens, happens_sw }) => ({
    ending,
    phone: `0754000${ending}`,
    what: language === 'sw' ? happens_sw : happens,
  }))
  return shop(language, { test: { environment, outcomes } })
}

/** Returns each screen by its name, with one entry for each branch that shows a different sentence. */
export function screens(language: Language, base: MerchantFrame = shop(language)): Record<string, Screen> {
  const collection_id = '0192f3a0-7b1c-8def-9012-3456789abcde'
  const watch = { poll_path: `${PAYMENT}/poll`, check_path: PAYMENT }
  const other_way_path = `${SLUG}?other=1`
  const unanswered = { kind: 'prompt', poll_path: `${SLUG}/poll`, check_path: SLUG } as const
  const payment = {
    paid_at: new Date('2026-11-30T15:00:00Z'),
    method: 'wallet_push',
    phone_masked: '0754 *** 456',
    provider_reference: 'CK7A9QX2LM',
  } as const
  const choose = {
    ...base,
    screen: 'choose',
    methods: ['WALLET_PUSH', 'PROVIDER_PESA', 'TANQR'],
    saved_phone_masked: null,
    idempotency_key: '0192f3a0-7b1c-8def-9012-00000000000a',
    expires_at: new Date('2026-12-01T15:00:00Z'),
    cancel_url: 'https://duka.example.com/cart',
    problems: [],
    typed: { phone: '', method: null },
    unanswered: null,
  } as const
  const waiting = {
    ...base,
    ...watch,
    collection_id,
    phone_masked: '0754 *** 456',
    ends_at: new Date('2026-11-30T15:01:57Z'),
    remaining_s: 117,
    total_s: 120,
  }
  const qr = {
    ...base,
    ...watch,
    screen: 'qr',
    collection_id,
    svg: qrSvg(
      '00020101021226370012tz.go.bot.tips0117TIPSTZ20481234567520458125303834540825000.005802TZ5912DUKA LA ASHA6013DAR ES SALAAM62140510ODA-104263041B2C',
      { label: language === 'sw' ? 'QR ya kulipa TZS 25,000' : 'QR to pay TZS 25,000' },
    ),
    picture_path: `${PAYMENT}/qr.png`,
    payment_token: '204812345678',
    phone_masked: null,
    other_way_path,
  } as const
  const slow = {
    ...base,
    ...watch,
    screen: 'slow',
    collection_id,
    kind: 'prompt',
    phone_masked: '0754 *** 456',
    other_way_path,
  } as const
  const failed = (reason_code: string) =>
    ({
      ...base,
      screen: 'failed',
      reason_code,
      kind: 'prompt',
      simulator_chose: base.test !== null && !['timeout', 'review_declined'].includes(reason_code),
      support_reference: 'ODA-1042',
      back_url: 'https://duka.example.com/cart?status=failed',
      retry_path: SLUG,
      again: {
        idempotency_key: '0192f3a0-7b1c-8def-9012-00000000000c',
        collection_id,
        phone_masked: '0754 *** 456',
      },
      check_path: PAYMENT,
      poll_path: watch.poll_path,
      unanswered: null,
    }) as const
  const receipt = {
    ...base,
    ...payment,
    screen: 'receipt',
    status: 'successful',
    collection_id,
    share_url: `https://pay.example.com${PAYMENT}/receipt`,
    pdf_path: `${PAYMENT}/receipt.pdf`,
  } as const
  const invoice = {
    ...base,
    screen: 'invoice',
    returned: false,
    number: 'INV-000123',
    status: 'SENT',
    customer_name: 'Neema Mushi',
    items: [
      { description: 'Kitenge', quantity: '2', unit_price_minor: 1_000_000n, amount_minor: 2_000_000n },
      {
        description: language === 'sw' ? 'Usafiri hadi Mwanza' : 'Delivery to Mwanza',
        quantity: '1',
        unit_price_minor: 500_000n,
        amount_minor: 500_000n,
      },
    ],
    issued_on: '2026-11-20',
    due_on: '2026-12-05',
    note: language === 'sw' ? 'Asante kwa biashara yako.' : 'Thank you for your business.',
    pay_link: SLUG,
    pdf_path: '/pay/invoice/abc/pdf',
    receipt_path: null,
  } as const
  const many = Array.from({ length: 45 }, (_, i) => ({ ...invoice.items[0], description: `Kitenge ${i + 1}` }))
  const frame = { language, url: `/pay/nothing?lang=${language}`, brand_name: 'Malipo' }
  return {
    choose,
    'choose-wrong': {
      ...choose,
      problems: [
        { field: 'method', problem: 'method_missing' },
        { field: 'phone', problem: 'phone_short' },
      ],
      typed: { phone: '0754 12', method: 'PROVIDER_PESA' },
      unanswered: { ...unanswered, state: 'choose' },
    },
    'choose-saved': { ...choose, saved_phone_masked: '0754 *** 456', methods: ['WALLET_PUSH'], expires_at: null },
    'choose-empty': {
      ...choose,
      problems: [{ field: 'phone', problem: 'phone_missing' }],
      methods: ['WALLET_PUSH', 'TANQR'],
    },
    ...Object.fromEntries(
      (
        [
          ['characters', '0754 12E 456'],
          ['foreign', '+254 712 345 678'],
          ['short', '0754 123 45'],
          ['long', '0754 123 4567'],
          ['prefix', '022 211 1234'],
        ] as const
      ).map(([name, phone]) => [
        `choose-refused-${name}`,
        {
          ...choose,
          problems: [{ field: 'phone', problem: `phone_${name}` }],
          typed: { phone, method: 'WALLET_PUSH' },
        },
      ]),
    ),
    'choose-wrong-phone': {
      ...choose,
      problems: [
        { field: 'method', problem: 'method_missing' },
        { field: 'phone', problem: 'phone_missing' },
      ],
      methods: ['WALLET_PUSH'],
    },
    'choose-wrong-qr': {
      ...choose,
      problems: [
        { field: 'method', problem: 'method_missing' },
        { field: 'phone', problem: 'phone_missing' },
      ],
      methods: ['TANQR'],
    },
    'choose-wrong-none': { ...choose, problems: [{ field: 'method', problem: 'method_missing' }], methods: [] },
    'choose-none': { ...choose, methods: [] },
    'waiting-push': { ...waiting, screen: 'waiting_push' },
    'waiting-wallet': { ...waiting, screen: 'waiting_wallet' },
    qr,
    'qr-phone': { ...qr, phone_masked: '0754 *** 001' },
    slow: { ...slow, again: { idempotency_key: '0192f3a0-7b1c-8def-9012-00000000000b' } },
    'slow-qr': { ...slow, kind: 'code', phone_masked: null, other_way_path: null, again: null },
    success: {
      ...base,
      ...payment,
      screen: 'success',
      receipt_path: `${PAYMENT}/receipt`,
      redirect: { url: 'https://duka.example.com/asante?reference=ODA-1042', auto: true },
    },
    'success-here': {
      ...base,
      ...payment,
      method: 'qr',
      phone_masked: null,
      screen: 'success',
      receipt_path: `${PAYMENT}/receipt`,
      redirect: null,
    },
    ...Object.fromEntries(
      [
        'user_cancelled',
        'wrong_pin',
        'insufficient_balance',
        'provider_declined',
        'provider_unavailable',
        'expired',
        'timeout',
        'review_declined',
        'made_up',
      ].map((reason) => [`failed-${reason}`, failed(reason)]),
    ),
    ...Object.fromEntries(
      ['insufficient_balance', 'provider_declined', 'provider_unavailable', 'expired', 'timeout'].map((reason) => [
        `failed-code-${reason}`,
        { ...failed(reason), kind: 'code', simulator_chose: false, again: null },
      ]),
    ),
    ...Object.fromEntries(
      [
        'user_cancelled',
        'wrong_pin',
        'insufficient_balance',
        'provider_declined',
        'provider_unavailable',
        'expired',
        'timeout',
      ].map((reason) => [
        `failed-beside-${reason}`,
        { ...failed(reason), again: null, unanswered: { ...unanswered, state: 'choose' } },
      ]),
    ),
    review: { ...base, ...watch, screen: 'review', collection_id },
    reversed: { ...base, ...payment, screen: 'reversed', receipt_path: `${PAYMENT}/receipt` },
    paid: {
      ...base,
      ...payment,
      screen: 'paid',
      receipt_path: `${PAYMENT}/receipt`,
      redirect: { url: 'https://duka.example.com/asante' },
    },
    'paid-here': { ...base, ...payment, screen: 'paid', receipt_path: `${PAYMENT}/receipt`, redirect: null },
    'in-progress': {
      ...base,
      ...watch,
      screen: 'in_progress',
      kind: 'out',
      phone_masked: '0754 *** 456',
      ends_at: waiting.ends_at,
    },
    'in-progress-slow': { ...base, ...watch, screen: 'in_progress', kind: 'prompt' },
    expired: { ...base, screen: 'expired', expired_at: new Date('2026-12-01T15:00:00Z'), unanswered: null },
    'expired-unanswered': {
      ...base,
      screen: 'expired',
      expired_at: null,
      unanswered: { ...unanswered, kind: 'code', state: 'expired' },
    },
    cancelled: { ...base, screen: 'cancelled', expired_at: null, unanswered: null },
    'no-payments': { ...base, screen: 'no_payments', expired_at: null, unanswered: null },
    receipt,
    'receipt-returned': { ...receipt, status: 'reversed', method: 'provider_pesa', pdf_path: null },
    invoice,
    'invoice-overdue': { ...invoice, status: 'OVERDUE', items: many },
    'invoice-paid': { ...invoice, status: 'PAID', pay_link: null, note: null, receipt_path: `${PAYMENT}/receipt` },
    'invoice-returned': {
      ...invoice,
      status: 'PAID',
      returned: true,
      pay_link: null,
      receipt_path: `${PAYMENT}/receipt`,
    },
    'invoice-cancelled': { ...invoice, status: 'CANCELLED', pay_link: null },
    help: { ...base, screen: 'help' },
    'help-sandbox': { ...base, screen: 'help', test: { environment: 'sandbox', outcomes: [] } },
    'too-many': { ...base, screen: 'too_many', again_at: new Date('2026-11-30T15:10:00Z'), open_path: SLUG },
    'too-many-requests': {
      ...frame,
      screen: 'too_many',
      again_at: new Date('2026-11-30T15:10:01Z'),
      open_path: frame.url,
    },
    unavailable: { ...base, screen: 'provider_unavailable', other_way: false },
    'unavailable-other': { ...base, screen: 'provider_unavailable', other_way: true },
    'form-expired': { ...frame, screen: 'form_expired', open_path: SLUG },
    unknown: { ...frame, screen: 'unknown' },
    broken: { ...frame, screen: 'server_error' },
  }
}
