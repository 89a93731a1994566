import css from "./sans.css" with { type: "text" };

export const sans = {
  css,
  accent: "#1a56c4",
  imageSizes: "(min-width: 46rem) 46rem, 100vw",
  covers: null,
};
