/** The line in the head of the form that screen readers follow: the same said twice is said once. */
export function statusLine(form: HTMLFormElement) {
  const place = form.querySelector<HTMLElement>("[data-saved]");
  const say = (sentence: string, ...more: HTMLElement[]) => {
    if (place && place.dataset.says !== sentence)
      place.replaceChildren(sentence, ...more.flatMap((one) => [" ", one]));
    if (place) place.dataset.says = sentence;
  };
  return {
    say: (sentence: string) => say(sentence),
    /** @param then a link or a button that helps */
    sayWith: (sentence: string, then: HTMLElement) => say(sentence, then),
  };
}
