import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type Column = { text: string; align?: 'left' | 'right'; isHidden?: boolean }

/** On narrow screens each row becomes a block, and cells show their `label`. */
export function Table({ caption, columns, children }: { caption: string; columns: Column[]; children: ReactNode }) {
  return (
    <table className="w-full border-collapse text-sm max-md:block">
      <caption className="sr-only">{caption}</caption>
      <thead className="max-md:sr-only">
        <tr className="border-b border-line text-left text-xs text-quiet">
          {columns.map(({ text, align, isHidden }) => (
            <th
              key={text}
              scope="col"
              className={classNames('px-3 py-2 font-medium first:pl-4 last:pr-4', align === 'right' && 'text-right')}
            >
              {isHidden ? <span className="sr-only">{text}</span> : text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-md:block">{children}</tbody>
    </table>
  )
}

export function Row({ children }: { children: ReactNode }) {
  return (
    <tr className="border-b border-line last:border-0 max-md:relative max-md:flex max-md:flex-col max-md:gap-1 max-md:px-4 max-md:py-3">
      {children}
    </tr>
  )
}

type CellProps = { label?: string; align?: 'left' | 'right'; children: ReactNode; className?: string }

export function Cell({ label, align = 'left', children, className }: CellProps) {
  return (
    <td
      className={classNames(
        'px-3 py-2 align-middle max-md:p-0 md:first:pl-4 md:last:pr-4',
        align === 'right' && 'md:text-right',
        className,
      )}
    >
      {label !== undefined && <span className="mr-1.5 text-quiet md:hidden">{label}</span>}
      {children}
    </td>
  )
}
