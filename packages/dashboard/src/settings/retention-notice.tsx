/** How long mail stays. */
export function RetentionNotice({ days }: { days: number | null }) {
  if (days === null) return <>For ever; nothing is deleted by itself.</>
  return (
    <>
      For {days} {days === 1 ? 'day' : 'days'}. Older mail is gone at once from every view. Its bytes go with the next
      sweep: one comes every minute, or as often as <code>RETENTION_SWEEP_SECONDS</code> says.
    </>
  )
}
