export const json = { type: "boolean", does: "print the list as JSON" } as const;

/** For `blogNamed`. */
export const blog = { type: "string", value: "SLUG", isNeeded: true, does: "the blog's short name" } as const;

/** For `passwordHashFrom`. */
export const passwordStdin = {
  type: "boolean",
  does: "read the password from standard input; without one the account cannot sign in",
} as const;
