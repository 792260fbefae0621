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
}

/** Shows untrusted HTML in an isolated frame. */
export function ViewFrame(props: Props) {
  const { title, id, remoteImages = false, attachment = null, widthPixels = null, scheme } = props
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
      className="mx-auto block h-full w-full grow bg-white"
      // Sets prefers-color-scheme inside the frame, without changing anything else in the mail.
      style={{ maxWidth: widthPixels ?? undefined, colorScheme: scheme }}
    />
  )
}
