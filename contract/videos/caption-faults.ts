/** Why a file of captions is refused, and what to do; the line is told beside it. Only pages that show captions load these. */
export const captionFaults = {
  not_text: 'This is no file of text. Save the captions as VTT or SRT, and upload that file.',
  no_signature:
    'A VTT file begins with the word WEBVTT. Put it into the first line, with an empty line after it; or upload the file as SRT if it is one.',
  no_cues:
    'There is no caption in this file. Each needs a line such as “00:01:02.500 --> 00:01:05.000” and its text below.',
  no_times:
    'The times of a caption are missing here. Write them above its text, such as “00:01:02.500 --> 00:01:05.000”, or remove these lines.',
  bad_times:
    'These times cannot be read. Write minutes, seconds and three digits of milliseconds, such as “01:02.500 --> 01:05.000”, with hours before them if there are any.',
  ends_before: 'This caption ends before it has begun. Correct one of its two times.',
  too_late: 'This caption is later than 500 hours. Correct its times.',
  unsafe_style:
    'The style of this file names another file or address, which is not taken. Remove this STYLE block.',
  too_much_head: 'The styles and regions of this file are longer than 20,000 signs. Remove some of them.',
  too_long: 'This caption is longer than 2,000 signs. Divide it into several.',
  too_many:
    'From here on there are more than 20,000 captions. Divide the file, or leave out what is not needed.',
} as const

export type CaptionFault = keyof typeof captionFaults

/** A sentence that names the line, for people. */
export const faultSentence = (fault: CaptionFault, line: number) => `Line ${line}: ${captionFaults[fault]}`
