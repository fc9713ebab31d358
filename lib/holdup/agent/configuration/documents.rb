# frozen_string_literal: true

require_relative "keys"

module Holdup
  module ConfigurationKeys
    # Documentation of the settings, generated from the table of keys.
    module Documents
      # What most applications set first, and why.
      FIRST = {
        app: "The application's name, where several share a host or a store",
        store: "Where measurements go; a server's URL, where several hosts share them",
        ignore_paths: "Requests that are not measured",
        jit: "Switches YJIT on once the application is loaded, and shows what it does",
        scaling: "The response time that you promise; advice keeps to it",
        web_auth: "Who may see the dashboard"
      }.freeze

      class << self
        # Content of config/initializers/holdup.rb: the settings that most applications change, commented out.
        def initializer
          <<~RUBY
            # frozen_string_literal: true

            # Holdup works without this file. Each line shows an example of a setting;
            # `bundle exec holdup help settings` explains all of them. A variable such as HOLDUP_APP
            # overrides this file.
            Holdup.configure do |config|
            #{FIRST.map { |name, purpose| setting(ALL.find { |key| key.name == name }, purpose) }.join}end
          RUBY
        end

        # Rows of docs/guide/configuration.md, with the first sentence of each explanation. `holdup help
        # settings` has all of it.
        def table
          header = ["| setting | environment | default | what it does |", "|---|---|---|---|"]
          [*header, *ALL.map { |key| row(key) }].join("\n") + "\n"
        end

        # @return [String] the same on all Rubies
        def default(key)
          return "$stderr" if key.default.equal?($stderr)
          return key.default.inspect unless key.default.is_a?(Hash)
          pairs = key.default.map { |name, value| "#{name}: #{value.inspect}" }
          "{#{pairs.join(", ")}}"
        end

        private

        def row(key)
          variable = key.env ? "`#{key.env}`" : "–"
          summary = key.help[/\A.+?\.(?=\s|\z)/].gsub("|", "\\|")
          "| `#{key.name}` | #{variable} | `#{default(key)}` | #{summary} |"
        end

        def setting(key, purpose)
          ["#{purpose}:", "config.#{key.name} = #{key.example}"].map { |line| "  # #{line}\n" }.join
        end
      end
    end
  end
end
