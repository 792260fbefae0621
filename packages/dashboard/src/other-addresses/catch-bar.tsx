import { useQuery } from '@tanstack/react-query'
import { useMailSource } from '../inbox/mail-source.ts'
import { visibleText } from '../inbox/safe-text.ts'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { useCatch } from './use-catch.ts'

/** Above an open mail: why it is here, and the button that changes that. */
export function CatchBar({ id, onCaught }: { id: string; onCaught: () => void }) {
  const { data: message } = useQuery(useMailSource().message(id))
  const caught = useCatch(({ left }) => {
    // If some mail was not moved, this one may be among it.
    if (left === 0) onCaught()
  })
  if (!message) return null
  const domain = visibleText(message.domain)
  return (
    <div className="space-y-2 border-b border-line bg-warn-soft px-4 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-0 grow basis-48">
          No team has the address <bdi className="break-all font-medium">{visibleText(message.to)}</bdi>, so tests
          cannot read this mail.
        </p>
        <Button
          variant="primary"
          isBusy={caught.isRunning}
          onClick={() => caught.run(message.domain)}
          className="max-w-full"
        >
          <span className="min-w-0 break-all">Catch {domain} from now on</span>
        </Button>
      </div>
      {caught.failure && <FailureNotice failure={caught.failure} />}
    </div>
  )
}
