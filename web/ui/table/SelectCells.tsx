import { isSelected, press, select, stateOfPage, type Selection } from './selection.ts'
import tableClasses from './DataTable.module.css'

/** Makes the rows of a table selectable. */
export type Selecting<Row> = {
  selection: Selection
  onSelect: (next: Selection) => void
  nameOf: (row: Row) => string
}

type Props<Row> = Selecting<Row> & { page: readonly string[] }

/** The whole page at once. */
export function SelectPage<Row>({ selection, onSelect, page }: Props<Row>) {
  const state = stateOfPage(selection, page)
  return (
    <th scope="col" className={tableClasses.select} data-part="select">
      <label>
        <input
          type="checkbox"
          aria-label="Select all rows of this page"
          checked={state === 'all'}
          disabled={page.length === 0}
          ref={(box) => {
            if (box) box.indeterminate = state === 'some'
          }}
          onChange={(event) => onSelect(select(selection, page, event.currentTarget.checked))}
        />
      </label>
    </th>
  )
}

export function SelectRow<Row>(props: Props<Row> & { row: Row; id: string }) {
  return (
    <td className={tableClasses.select} data-part="select">
      <SelectBox {...props} name={props.nameOf(props.row)} />
    </td>
  )
}

type BoxProps = Pick<Props<never>, 'selection' | 'onSelect' | 'page'> & {
  id: string
  name: string
  className?: string
}

/** With shift, all from the last pressed one along. */
export function SelectBox({ selection, onSelect, page, id, name, className }: BoxProps) {
  return (
    <label className={className} data-screen-only>
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={isSelected(selection, id)}
        onChange={({ currentTarget, nativeEvent }) => {
          const isRange = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey
          onSelect(press(selection, { id, isOn: currentTarget.checked, page, isRange }))
        }}
      />
    </label>
  )
}
