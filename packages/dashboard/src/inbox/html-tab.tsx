import type { MessageDetail } from '@mailhatch/sdk'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Icon } from '../ui/icon.tsx'
import { ViewFrame } from './view-frame.tsx'

const WIDTHS = [
  { text: '375', label: 'As wide as a phone', pixels: 375 },
  { text: '768', label: 'As wide as a tablet', pixels: 768 },
  { text: 'Full', label: 'As wide as there is room', pixels: null },
]

/** Addresses that a browser would ask for by itself. */
const REMOTE_IMAGE = /(?:\ssrc\s*=|\sbackground\s*=|url\()\s*["']?\s*https?:/i

export function HtmlTab({ message }: { message: MessageDetail }) {
  const [remoteImages, setRemoteImages] = useState(false)
  const [widthPixels, setWidthPixels] = useState<number | null>(null)
  const hasRemoteImages = REMOTE_IMAGE.test(message.htmlContent ?? '')
  return (
    <div className="flex h-full min-h-96 flex-col">
      <div
        className={classNames(
          'flex flex-wrap items-center gap-2 border-b border-line bg-sunken px-3 py-1.5 text-xs text-quiet',
          !hasRemoteImages && 'max-sm:hidden',
        )}
      >
        {hasRemoteImages && (
          <span className="flex items-center gap-2">
            <Icon name="warning" size={14} />
            {remoteImages
              ? 'Remote images are shown this once.'
              : 'Remote images are blocked: nobody learns that you read this.'}
            {!remoteImages && (
              <Button className="min-h-6 shrink-0 whitespace-nowrap text-xs" onClick={() => setRemoteImages(true)}>
                Show once
              </Button>
            )}
          </span>
        )}
        <div role="group" aria-label="Width" className="ml-auto flex gap-0.5 max-sm:hidden">
          {WIDTHS.map(({ text, label, pixels }) => (
            <button
              key={text}
              type="button"
              aria-pressed={pixels === widthPixels}
              title={label}
              onClick={() => setWidthPixels(pixels)}
              className={classNames(
                'min-h-6 rounded px-2 tabular-nums',
                pixels === widthPixels ? 'bg-accent-soft font-medium text-accent' : 'hover:bg-hover hover:text-ink',
              )}
            >
              {text}
            </button>
          ))}
        </div>
      </div>
      <div className={classNames('flex min-h-0 grow', widthPixels !== null && 'bg-sunken')}>
        <ViewFrame
          title="The mail as its sender drew it"
          id={message.id}
          remoteImages={remoteImages}
          widthPixels={widthPixels}
        />
      </div>
    </div>
  )
}
