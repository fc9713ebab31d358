# frozen_string_literal: true

agent = Gem::Specification.load(File.expand_path("holdup-agent.gemspec", __dir__))
java = agent.platform.to_s == "java"

# What does not run inside the application: the collector, the stores, the command line, the dashboard.
Gem::Specification.new do |spec|
  spec.name = "holdup"
  spec.version = agent.version
  spec.authors = agent.authors
  spec.summary = "Who holds the GVL, who waits for it, and how many threads and processes you need"
  spec.description = "Measures where each request's and job's time goes (running, stalled on the GVL, io, " \
    "lock, sleep, native), explains who caused the stall, and sizes threads and processes from it. " \
    "Always on, in production."
  spec.license = agent.license
  spec.platform = "java" if java
  spec.required_ruby_version = agent.required_ruby_version
  spec.homepage = agent.homepage
  spec.metadata = agent.metadata
  # Code, the licence and the pages that `holdup docs` shows. The repository also has pictures, measurements
  # and schemas. Files of a kind compress best beside each other.
  spec.files = (Dir[
    "lib/**/*.{rb,yml,erb,css,js,svg,txt}",
    "exe/*",
    "sig/**/*.rbs",
    "docs/{*,guide/*,stories/*,internals/*,reference/*}.md"
  ] - agent.files + %w[LICENSE.txt README.md CHANGELOG.md]).sort_by { |file| [File.extname(file), file] }
  spec.bindir = "exe"
  spec.executables = ["holdup"]

  # The files of both are changed together.
  spec.add_dependency "holdup-agent", "= #{spec.version}"
  spec.add_dependency "zeitwerk", "~> 2.6"
  spec.add_dependency "sequel", "~> 5.80"
  spec.add_dependency "sqlite3", ">= 1.7", "< 3" unless java
  spec.add_dependency "i18n", "~> 1.14"
  spec.add_dependency "unicode-display_width", ">= 2.6", "< 4"
  # Only the dashboard.
  spec.add_dependency "erubi", "~> 1.11"
  spec.add_dependency "rack", ">= 2.2.4", "< 4"
  spec.add_dependency "roda", "~> 3.60"
  spec.add_dependency "tilt", "~> 2.1"
end
