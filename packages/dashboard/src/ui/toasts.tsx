import { Icon } from './icon.tsx'
import { useAnnouncement, useNotices } from './notices.ts'

/** Renders notices and screen reader announcements; mounted once. */
export function Toasts() {
  const notices = useNotices()
  return (
    <>
      <p role="status" aria-live="polite" className="sr-only">
        {useAnnouncement()}
      </p>
      {notices.length > 0 && (
        <section aria-label="Notices" className="print:hidden">
          <ul className="pointer-events-none fixed inset-x-4 bottom-4 z-60 flex flex-col items-center gap-2 sm:items-end">
            {notices.map(({ id, text, kind, action }) => (
              <li
                key={id}
                className="pointer-events-auto flex max-w-md items-center gap-2.5 rounded-lg border border-line bg-raised py-2 pl-3 pr-3 text-sm shadow-float"
              >
                <span className={kind === 'good' ? 'text-good' : 'text-danger'}>
                  <Icon name={kind === 'good' ? 'check' : 'warning'} />
                </span>
                <span className="min-w-0">{text}</span>
                {action && (
                  <button type="button" className="link min-h-6 font-medium" onClick={action.run}>
                    {action.text}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
