type Props = {
  caption: string
  columns: string[]
  /** Oldest first, like the charts; one cell per column. */
  rows: { date: string; cells: string[] }[]
}

/** The exact figures of a chart, newest first. */
export function DayFigures({ caption, columns, rows }: Props) {
  return (
    <details>
      <summary className="link w-fit text-sm">
        Figures<span className="sr-only">: {caption}</span>
      </summary>
      <table className="mt-2 text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="text-right text-quiet [&>*+*]:pl-6">
            {['Day', ...columns].map((text) => (
              <th key={text} scope="col" className="font-medium first:text-left">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {rows.toReversed().map(({ date, cells }) => (
            <tr key={date} className="text-right [&>*+*]:pl-6">
              <th scope="row" className="text-left font-normal">
                {date}
              </th>
              {cells.map((cell, index) => (
                <td key={index}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
