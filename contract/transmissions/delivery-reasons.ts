/** Returns what is said beside the state of a delivery: a sentence for our own codes, else the words of the mail server. */
export function explainReason(reason: string | null): string | undefined {
  if (reason === null) return undefined
  const own: Record<string, string> = {
    inactive: 'This person is disabled or removed.',
    no_address: 'This person has no address of this kind.',
    duplicate_address: 'Somebody else in the list has the same address.',
    suppressed: 'This address is barred.',
    already_done: 'They had completed it when their mail was about to leave.',
    connection_lost: 'The sending was interrupted after the mail had begun to leave.',
    no_answer: 'It was posted to the address for SMS and chat, which gave no answer.',
    restored: 'This installation was restored from a copy; the mail may have left since the copy was made.',
    link_lost:
      'The link was made with a secret of the installation that is gone. Send it again: the new mail gets a new link.',
    not_written:
      'The message could not be put together for this person. Look at their name and their fields, then send it again.',
    provider_suppressed:
      'The mail provider did not send it: the address is on the list that your account keeps there (suppression list). Take it off that list in the console of the provider, then send again.',
    treated_as_failed: 'Somebody decided that it did not arrive.',
  }
  return own[reason] ?? reason
}
