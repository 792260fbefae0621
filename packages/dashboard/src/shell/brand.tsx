/** The logo: a hatch with an envelope. */
export function Brand({ size = 22 }: { size?: number }) {
  return (
    <span className="inline-flex items-center gap-2 font-semibold tracking-tight">
      <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="shrink-0">
        <rect width="32" height="32" rx="8" className="fill-accent" />
        <path d="M7 11h18v11H7zm0 0 9 7 9-7" fill="none" className="stroke-on-accent" strokeWidth="2" />
      </svg>
      Mailhatch
    </span>
  )
}
