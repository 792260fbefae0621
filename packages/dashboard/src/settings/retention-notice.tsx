export function RetentionNotice({ days }: { days: number | null }) {
  if (days === null) return <>Forever. Mail is never deleted automatically.</>
  return (
    <>
      {days} {days === 1 ? 'day' : 'days'}. Older mail is no longer shown. The next sweep deletes it from disk. Sweeps
      run every minute, or at the interval that <code>RETENTION_SWEEP_SECONDS</code> sets.
    </>
  )
}
