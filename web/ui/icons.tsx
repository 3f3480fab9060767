// Draws the icons and the logo. Each icon is a path of 24 by 24 units in the colour of the text. An icon has no name for screen
// readers, because the text beside it or the label of its button states the meaning.

/** The SVG path of each icon. */
const PATHS = {
  home: 'M4 11 12 4l8 7M6 9.5V20h12V9.5M10 20v-5h4v5',
  collect: 'M12 3v11m0 0-4.5-4.5M12 14l4.5-4.5M4 15v3.5A1.5 1.5 0 0 0 5.5 20h13a1.5 1.5 0 0 0 1.5-1.5V15',
  link: 'M10 14a4.5 4.5 0 0 0 6.4 0l3-3A4.5 4.5 0 0 0 13 4.6l-1 1M14 10a4.5 4.5 0 0 0-6.4 0l-3 3A4.5 4.5 0 0 0 11 19.4l1-1',
  invoice: 'M6 3h12v18l-3-2-3 2-3-2-3 2zM9.5 8h5M9.5 12h5',
  payout: 'M12 14V3m0 0L7.5 7.5M12 3l4.5 4.5M4 15v3.5A1.5 1.5 0 0 0 5.5 20h13a1.5 1.5 0 0 0 1.5-1.5V15',
  transactions: 'M4 8h15m0 0-4-4m4 4-4 4M20 16H5m0 0 4-4m-4 4 4 4',
  statement:
    'M7 3h7l5 5v11.5a1.5 1.5 0 0 1-1.5 1.5h-10.5A1.5 1.5 0 0 1 5.5 19.5v-15A1.5 1.5 0 0 1 7 3zM14 3v5h5M9 13h6M9 16.5h4',
  key: 'M15.5 3.5a5 5 0 1 1-3.7 8.3L4 19.6V21h3v-2h2v-2h2l2.6-2.6M16.5 7.5h.01',
  webhook: 'M9 7.5a3.5 3.5 0 1 1 5.5 2.87L17 15m.5-.5a3.5 3.5 0 1 1-3 5H9M9.5 10.4 7 14.9a3.5 3.5 0 1 0 2.5 4.6',
  request:
    'M5 5h14a1.5 1.5 0 0 1 1.5 1.5v11A1.5 1.5 0 0 1 19 19H5a1.5 1.5 0 0 1-1.5-1.5v-11A1.5 1.5 0 0 1 5 5zM7.5 9.5l3 2.5-3 2.5M13 15h4',
  people:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 5a3.5 3.5 0 0 1 0 6.5M17.5 14.5a6 6 0 0 1 4 5.5',
  globe:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3.5 12h17M12 3c2.5 2.5 3.8 5.5 3.8 9s-1.3 6.5-3.8 9c-2.5-2.5-3.8-5.5-3.8-9S9.5 5.5 12 3z',
  message:
    'M4.5 5.5h15A1.5 1.5 0 0 1 21 7v10.5a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 17.5V7a1.5 1.5 0 0 1 1.5-1.5zM3.5 7l8.5 6.5L20.5 7',
  bell: 'M6 17v-6a6 6 0 0 1 12 0v6l1.5 2h-15zM10 20.8a2.2 2.2 0 0 0 4 0M12 5V3.2',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5a7.5 7.5 0 0 1 15 0',
  device:
    'M4.5 4.5h15A1.5 1.5 0 0 1 21 6v9a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 15V6a1.5 1.5 0 0 1 1.5-1.5zM8.5 20.5h7M12 16.5v4',
  history: 'M4 12a8 8 0 1 0 2.5-5.8L4 8.5M4 4v4.5h4.5M12 7.5V12l3 2',
  inbox: 'M3.5 13 6 5h12l2.5 8v5.5A1.5 1.5 0 0 1 19 20H5a1.5 1.5 0 0 1-1.5-1.5zM3.5 13H8l1.5 3h5l1.5-3h4.5',
  decisions: 'M2.5 12.5 7 17l8.5-9M11.5 15.5 13 17l8.5-9',
  pause: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.5 9v6M14.5 9v6',
  held: 'M12 3 4.5 6v5.5c0 4.5 3 8 7.5 9.5 4.5-1.5 7.5-5 7.5-9.5V6zM12 8.5V13M12 16h.01',
  balance: 'M12 4v16M8 20h8M5 7h14M5 7l-3 7a3.3 3.3 0 0 0 6 0zM19 7l-3 7a3.3 3.3 0 0 0 6 0z',
  shop: 'M4 10v9.5h16V10M3 9.5 5 4h14l2 5.5a3 3 0 0 1-6 0 3 3 0 0 1-6 0 3 3 0 0 1-6 0zM9.5 19.5V15h5v4.5',
  alert: 'M12 4 2.5 20h19zM12 10v4.5M12 17.2h.01',
  plug: 'M9 3v5M15 3v5M6 8h12v3.5a6 6 0 0 1-12 0zM12 17.5V21',
  hourglass: 'M6 3h12M6 21h12M7 3v3.5L12 12l5-5.5V3M7 21v-3.5L12 12l5 5.5V21',
  signal: 'M4 20v-4M9.5 20v-8M15 20V8M20.5 20V4',
  pulse: 'M3 12h4l2.5-7 5 14L17 12h4',
  badge:
    'M7.5 4.5h9A1.5 1.5 0 0 1 18 6v13.5a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 6 19.5V6a1.5 1.5 0 0 1 1.5-1.5zM10 4.5V3h4v1.5M12 13a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM9 17.5a3 3 0 0 1 6 0',
  audit: 'M4 6l1.2 1.2L7.5 5M4 12l1.2 1.2 2.3-2.2M4 18l1.2 1.2 2.3-2.2M11 6.5h9M11 12.5h9M11 18.5h9',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16.2 16.2 20.5 20.5',
  plus: 'M12 5v14M5 12h14',
  copy: 'M9 9h9.5A1.5 1.5 0 0 1 20 10.5v9a1.5 1.5 0 0 1-1.5 1.5h-8A1.5 1.5 0 0 1 9 19.5zM15 9V4.5A1.5 1.5 0 0 0 13.5 3h-8A1.5 1.5 0 0 0 4 4.5v9A1.5 1.5 0 0 0 5.5 15H9',
  check: 'M4.5 12.5 10 18l9.5-11',
  cross: 'M6 6l12 12M18 6 6 18',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  rows: 'M4 6h16M4 10h16M4 14h16M4 18h16',
  roomy: 'M4 6h16M4 12h16M4 18h16',
  leave: 'M10 4H5.5A1.5 1.5 0 0 0 4 5.5v13A1.5 1.5 0 0 0 5.5 20H10M15 8l4 4-4 4M19 12H9.5',
  flask: 'M9.5 3h5M10.5 3v6L5 18.5A1.7 1.7 0 0 0 6.5 21h11a1.7 1.7 0 0 0 1.5-2.5L13.5 9V3M7.5 15h9',
  lock: 'M6.5 10.5h11A1.5 1.5 0 0 1 19 12v7.5a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 5 19.5V12a1.5 1.5 0 0 1 1.5-1.5zM8 10.5V7.5a4 4 0 0 1 8 0v3',
  download: 'M12 4v11m0 0-4.5-4.5M12 15l4.5-4.5M5 20h14',
  filter: 'M4 6h16M7 12h10M10 18h4',
  refresh: 'M20 11a8 8 0 0 0-14-4.5L4 8.5M4 4v4.5h4.5M4 13a8 8 0 0 0 14 4.5l2-2M20 20v-4.5h-4.5',
} as const

/** The name of an icon, which `Icon` draws. */
export type IconName = keyof typeof PATHS

/** The names of all icons, for the gallery. */
export const ICON_NAMES = Object.keys(PATHS) as IconName[]

/** Shows an icon of `size` pixels. Screen readers ignore the icon. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}

/** Shows the logo of the product: an M with a coin between its arms. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg className="logo" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect className="logo-ground" width="32" height="32" rx="9" />
      <path className="logo-line" d="M7.5 23.5V12l8.5 7.5 8.5-7.5v11.5" />
      <circle className="logo-coin" cx="16" cy="9.5" r="3.5" />
    </svg>
  )
}

/** Shows the picture of an empty page: a receipt. If the user has finished the work, the receipt has a tick. */
export function EmptyPicture({ kind }: { kind: 'none' | 'done' }) {
  return (
    <svg className="empty-picture" width="112" height="84" viewBox="0 0 112 84" aria-hidden="true" focusable="false">
      <ellipse className="picture-shade" cx="56" cy="76" rx="42" ry="5" />
      <rect className="picture-back" x="20" y="20" width="42" height="52" rx="6" transform="rotate(-9 41 46)" />
      <path
        className="picture-page"
        d="M40 10h36a5 5 0 0 1 5 5v55l-7.6-5-7.7 5-7.7-5-7.7 5-7.7-5-7.6 5V15a5 5 0 0 1 5-5z"
      />
      {kind === 'done' ? (
        <path className="picture-line picture-tick" d="m48 36 8 8 15-17" />
      ) : (
        <path className="picture-line" d="M45 24h18M45 34h28M45 44h22" />
      )}
      <circle className="picture-coin" cx="84" cy="22" r="11" />
      <path className="picture-coin-line" d="M79.5 26v-6.5l4.5 4 4.5-4V26" />
    </svg>
  )
}
