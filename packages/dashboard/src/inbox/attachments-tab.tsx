import type { Attachment, MessageDetail } from '@mailhatch/sdk'
import { useState } from 'react'
import { serverPath } from '../base-path.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icon.tsx'
import { useMailSource } from './mail-source.ts'
import { sizeText, visibleText } from './safe-text.ts'
import { ViewFrame } from './view-frame.tsx'

/** Raster images, which are shown without a click. */
const IMAGE = /^image\/(?:png|gif|jpe?g|webp|avif|bmp)$/i
/** Types that the server can preview: raster images as images, text and SVG as text. */
const PREVIEWED =
  /^(?:image\/(?:png|gif|jpe?g|webp|avif|bmp|svg\+xml)|text\/|message\/|application\/(?:json|xml)|.*\+(?:json|xml)$)/i

/** More would load many frames at once. The others have a button. */
const IMAGES_AT_FIRST = 3

export function AttachmentsTab({ message: { id, attachments } }: { message: MessageDetail }) {
  const [previewed, setPreviewed] = useState<ReadonlySet<number>>(() => firstImages(attachments))
  if (attachments.length === 0) return <EmptyState icon="attachment" title="This message has no attachments" />
  return (
    <ul className="divide-y divide-line">
      {attachments.map((attachment) => {
        const { index } = attachment
        const isOpen = previewed.has(index)
        return (
          <li key={index} className="space-y-3 px-4 py-3">
            <AttachmentLine
              id={id}
              attachment={attachment}
              isOpen={isOpen}
              onPreview={() => setPreviewed(previewed.symmetricDifference(new Set([index])))}
            />
            {isOpen && (
              <div className="flex h-80 max-h-[60vh] overflow-hidden rounded-md border border-line">
                <ViewFrame title={`Preview of ${nameOf(attachment)}`} id={id} attachment={index} />
              </div>
            )}
          </li>
        )
      })}
    </ul>
  )
}

type LineProps = { id: string; attachment: Attachment; isOpen: boolean; onPreview: () => void }

function AttachmentLine({ id, attachment, isOpen, onPreview }: LineProps) {
  const { index, contentType, size, inline } = attachment
  const name = nameOf(attachment)
  const { filesPath } = useMailSource()
  return (
    <div className="flex flex-wrap items-center gap-3 text-sm">
      <Icon name="attachment" />
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-2">
          <bdi className="font-medium">{name}</bdi> {inline && <Badge>inline</Badge>}
        </p>
        <p className="text-xs text-quiet">
          {visibleText(contentType)} · {sizeText(size)}
        </p>
        {isPdf(attachment) && (
          <p className="text-xs text-quiet">
            No preview: browsers show a PDF only with scripts and outside of the sandbox that keeps mail apart. Download
            it to open it.
          </p>
        )}
      </div>
      {PREVIEWED.test(contentType) && (
        <Button onClick={onPreview} aria-expanded={isOpen}>
          {isOpen ? 'Close' : 'Preview'}
          <span className="sr-only"> {name}</span>
        </Button>
      )}
      <a
        href={serverPath(`${filesPath(id)}/attachments/${index}`)}
        download={attachment.filename ?? ''}
        className={buttonClass('plain')}
      >
        Download<span className="sr-only"> {name}</span>
      </a>
    </div>
  )
}

function nameOf({ filename, index }: Attachment): string {
  return visibleText(filename ?? `attachment-${index}`)
}

function firstImages(attachments: Attachment[]): Set<number> {
  const images = attachments.filter(({ contentType }) => IMAGE.test(contentType))
  return new Set(images.slice(0, IMAGES_AT_FIRST).map(({ index }) => index))
}

function isPdf({ contentType, filename }: Attachment): boolean {
  return contentType === 'application/pdf' || /\.pdf$/i.test(filename ?? '')
}
