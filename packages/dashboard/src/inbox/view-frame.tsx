import { useQuery } from '@tanstack/react-query'
import { failureOf } from '../api/failure.ts'
import { serverPath } from '../base-path.ts'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { Loading } from '../ui/loaded.tsx'
import { useMailSource } from './mail-source.ts'

/** No scripts and no access to our origin. The response sets the same sandbox in its CSP header. */
const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox'

export type Scheme = 'light' | 'dark'

type Props = {
  title: string
  id: string
  remoteImages?: boolean
  attachment?: number | null
  widthPixels?: number | null
  scheme?: Scheme
  /** How tall the frame is on paper. */
  printPages?: number
}

/** What fits on a page of A4 or Letter paper between usual margins. */
const PAGE_MILLIMETRES = 240

/** Shows untrusted HTML in an isolated frame. */
export function ViewFrame(props: Props) {
  const { title, id, remoteImages = false, attachment = null, widthPixels = null, scheme, printPages = 1 } = props
  const { data, error, refetch } = useQuery(useMailSource().view({ id, remoteImages, attachment }))
  if (error) return <FailureNotice failure={failureOf(error)} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return (
    <iframe
      key={data.path}
      title={title}
      src={serverPath(data.path)}
      sandbox={SANDBOX}
      referrerPolicy="no-referrer"
      loading="lazy"
      className="mx-auto block h-full w-full grow bg-white print:h-(--print-height)"
      style={{
        maxWidth: widthPixels ?? undefined,
        // Sets prefers-color-scheme inside the frame, without changing anything else in the mail.
        colorScheme: scheme,
        // A custom property, which React's types do not know.
        ...({ '--print-height': `${printPages * PAGE_MILLIMETRES}mm` } as object),
      }}
    />
  )
}
