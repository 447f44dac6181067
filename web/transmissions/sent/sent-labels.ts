import {
  restingWord,
  transmissionStateLabels as stateWords,
} from '#contract/transmissions/delivery-labels.ts'
import type { TransmissionReason } from '#contract/transmissions/transmission-reasons.ts'
import type { TransmissionState } from '#contract/transmissions/transmissions.ts'
import type { Label } from '#web/ui/figures/StatusBadge.tsx'

export const transmissionLabels: Record<TransmissionState, Label> = {
  draft: { word: stateWords.draft, tone: 'neutral', means: 'Nothing has been sent.' },
  pending_approval: {
    word: stateWords.pending_approval,
    tone: 'warning',
    means: 'Nothing is sent until somebody else approves it.',
  },
  scheduled: { word: stateWords.scheduled, tone: 'info', means: 'It leaves by itself.' },
  held: { word: stateWords.held, tone: 'warning', means: 'Nothing leaves until somebody decides.' },
  preparing: { word: stateWords.preparing, tone: 'running', means: 'The list of recipients is being made.' },
  sending: { word: stateWords.sending, tone: 'running', means: 'The mails are leaving.' },
  paused: { word: stateWords.paused, tone: 'warning', means: 'Nothing is sent until it is resumed.' },
  completed: { word: stateWords.completed, tone: 'success', means: 'Nothing is left to be sent.' },
  cancelled: { word: stateWords.cancelled, tone: 'neutral', means: 'What had not left was not sent.' },
  failed: { word: stateWords.failed, tone: 'danger', means: 'It could not be sent.' },
}

/** The transmission was completed without a mail server. */
export const restingLabels: Label = {
  word: restingWord,
  tone: 'info',
  means: 'No mail server was set up, so its mails rest in the outbox.',
}

/** The transmission is scheduled, and only its video keeps it. */
export const waitingLabels: Label = {
  word: 'Waiting',
  tone: 'info',
  means: 'Waits until the video is ready.',
}

/** Somebody who is refused as a sender has to do this. */
export const mendSender =
  'Have whoever looks after your mail check that the address of the sender exists, that its domain has its records (SPF, DKIM, DMARC), and that the account may send.'

export const reasonLabels: Record<TransmissionReason, string> = {
  no_recipients: 'Nobody whom it is meant for can get mail.',
  many_rejected:
    'It was paused because the mail server refuses many of the mails. Look at the reasons below, and mend what they name, before you resume it: what was refused because of the message goes on then.',
  many_returned:
    'It was paused because many of the mails came back, or their readers called them unwanted. Look at the recipients below before you resume it.',
  sender_refused:
    'It was paused because a mail server refuses the sender, not the recipients. Nobody is barred for that, and what has not left goes on when you resume it.',
  wave_troubled:
    'It was paused before its next wave, because too many mails of the last one did not arrive or were not wanted. Look at them below, then resume it, or cancel the rest.',
  organization_closed:
    'It was paused because the organization was suspended or archived. Resume it when the organization is active again.',
  audience_grown:
    'It would go to more people, or others, than were approved. Nothing has left: somebody else than the author has to approve the list below.',
  audience_changed:
    'The rule of one of its groups was changed after the approval. Nothing has left: somebody else than the author has to approve the list below.',
  time_passed: 'Its time has passed. Nothing has left: send it now, or cancel it.',
  restored:
    'This installation was restored from a copy, so nobody knows whether it has been sent since. Send it now, or cancel it.',
  video_not_ready: 'It waits until the video is ready, and then leaves by itself.',
  video_failed:
    'Its video could not be prepared. Nothing has left: send it when the video is ready, or cancel it.',
  video_removed: 'Its video was removed. Nothing has left: bring the video back and send it, or cancel it.',
  sender_unverified:
    'Nobody has proved yet that they read at the address from which your organization writes. Nothing more leaves: confirm the address in the settings, then go on.',
  webhook_missing:
    'It goes by SMS or chat, and your organization names no address for that any more. Nothing more leaves: name one in the settings, then go on.',
}
