import type { Attachment, MessageDetail } from '@mailhatch/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { serverPath } from '../base-path.ts'
import { Icon } from '../ui/icon.tsx'
import { parseCalendar } from './calendar-event.ts'
import { purposeText, whenText } from './calendar-text.ts'
import { useMailSource } from './mail-source.ts'
import { visibleText } from './safe-text.ts'

/** The event of a calendar file as text: nothing in it is a link or is sent anywhere. Nothing if it cannot be read. */
export default function CalendarCard({
  message: { id },
  attachment: { index },
}: {
  message: MessageDetail
  attachment: Attachment
}) {
  const path = serverPath(`${useMailSource().filesPath(id)}/attachments/${index}`)
  const { data: event } = useQuery({
    queryKey: ['calendar', path],
    queryFn: async () => {
      const response = await fetch(path)
      return response.ok ? parseCalendar(await response.text()) : null
    },
    staleTime: Infinity,
  })
  if (!event) return null
  const { summary, location, organizer, repeats } = event
  const when = whenText(event)
  return (
    <section
      aria-label="Calendar event"
      className="flex max-h-56 w-fit max-w-full gap-3 overflow-y-auto rounded-lg border border-line bg-sunken px-3 py-2.5 text-sm"
    >
      <span className="pt-0.5 text-accent">
        <Icon name="calendar" />
      </span>
      <div className="min-w-0">
        <p className="text-xs text-quiet">{purposeText(event)}</p>
        <p className="font-medium">
          <bdi>{visibleText(summary ?? '(no title)')}</bdi>
        </p>
        <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 [&_dt]:text-quiet">
          {when !== null && <Fact name="When">{when}</Fact>}
          {repeats !== null && <Fact name="Repeats">{repeats.toLowerCase()}</Fact>}
          {location !== null && <Fact name="Where">{location}</Fact>}
          {organizer !== null && <Fact name="Organiser">{organizer}</Fact>}
        </dl>
      </div>
    </section>
  )
}

function Fact({ name, children }: { name: string; children: string }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd className="min-w-0 break-words">
        <bdi>{visibleText(children)}</bdi>
      </dd>
    </>
  )
}
