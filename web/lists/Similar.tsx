type Props = { approximate: boolean | undefined; q: string }

/** Says above a list that nothing has the words that were looked for. */
export function Similar({ approximate, q }: Props) {
  return (
    <p role="status" className={approximate ? 'ui-similar' : 'ui-sr'}>
      {approximate && `No exact match for “${q}”. These are similar.`}
    </p>
  )
}
