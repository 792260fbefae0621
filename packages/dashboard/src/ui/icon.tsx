/** SVG paths on a 16-pixel grid. */
const PATHS = {
  inbox: 'M2 9.5 4 3h8l2 6.5V13H2zM2 9.5h3.5L7 11.5h2l1.5-2H14',
  settings:
    'M2 4.5h7M13 4.5h1M2 11.5h1M7 11.5h7M11 2.8a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4M5 9.8a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4',
  key: 'M10.5 2.5a3 3 0 1 1-2.6 4.5L2.5 12.4V14h2.2v-1.8h1.8v-1.8l2.3-2.3',
  webhook: 'M5 7.5 7.6 3.4a2 2 0 1 1 2.8 1.8M9 8.6l2.6 2.6a2 2 0 1 1-2.3 2.4H5.6M7 8.5 4.6 12a2 2 0 1 1-2.5-1.8',
  team: 'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6M1.8 13.2c.3-2.4 2-3.7 4.2-3.7s3.9 1.3 4.2 3.7M10.8 3.2a2.2 2.2 0 0 1 0 4.2M12 9.8c1.3.5 2.1 1.7 2.3 3.4',
  globe: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M2 8h12M8 2c3.5 3.5 3.5 8.5 0 12-3.5-3.5-3.5-8.5 0-12',
  chart: 'M2.5 13.5h11M4 11V8M8 11V3M12 11V6',
  card: 'M2 4h12v8.5H2zM2 7h12M4.5 10h3',
  user: 'M8 7.5A2.6 2.6 0 1 0 8 2.3a2.6 2.6 0 0 0 0 5.2M3 13.6c.5-2.6 2.4-4 5-4s4.5 1.4 5 4',
  info: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 7.3v3.7M8 5v.2',
  help: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.6-.8 1.2M8 11.2v.1',
  calendar: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3',
  print: 'M4.5 6V2.5h7V6M4.5 11.5h-2V6h11v5.5h-2M4.5 9.5h7v4h-7z',
  overview: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  mailbox: 'M2 4h12v8.5H2zM2 4.5l6 4.5 6-4.5',
  copy: 'M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  plus: 'M8 3v10M3 8h10',
  trash: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9M6.7 7v4M9.3 7v4',
  refresh: 'M13.5 8A5.5 5.5 0 1 1 11.8 4M12 1.8V4.5H9.3',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  down: 'M4 6l4 4 4-4',
  back: 'M10 3.5 5.5 8l4.5 4.5',
  next: 'M6 3.5 10.5 8 6 12.5',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.3 10.3l3.2 3.2',
  warning: 'M8 2.5 14.3 13.5H1.7zM8 6.5v3.2M8 11.5v.2',
  outside: 'M9 2.5h4.5V7M13.5 2.5 7.5 8.5M11.5 9.5v4h-9v-9h4',
  attachment: 'M12.8 7.5 7.7 12.6a3.1 3.1 0 0 1-4.4-4.4l5.4-5.4a2 2 0 0 1 2.9 2.9L6.2 11a1 1 0 0 1-1.4-1.4l4.8-4.8',
  play: 'M4.5 3v10l8-5z',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.01M6.7 6.5h.01M9.3 6.5h.01M12 6.5h.01M4 9.5h8',
  steps: 'M2.5 3.5h8M2.5 7.5h8M2.5 11.5h4M9.5 9.5v4.5l4-2.3z',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 4.7V8l2.3 1.5',
  signOut: 'M6 2.5H2.5v11H6M6.5 8h7M10.8 5.2 13.6 8l-2.8 2.8',
}

export type IconName = keyof typeof PATHS

/** Hidden from screen readers: use it next to text or in a labelled control. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2 : 1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="shrink-0"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
