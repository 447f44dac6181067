import { useState } from 'react'
import { nothingSelected, type Selection } from './selection.ts'

/** What is selected in a list. Another filter is another list: `filter` says which one it is, without page and order. */
export function useSelection(filter: object): [Selection, (next: Selection) => void] {
  const list = JSON.stringify(filter)
  const [stored, store] = useState({ list, selection: nothingSelected })
  const selection = stored.list === list ? stored.selection : nothingSelected
  return [selection, (next) => store({ list, selection: isNothing(next) ? nothingSelected : next })]
}

const isNothing = ({ isAll, ids }: Selection) => !isAll && ids.size === 0
