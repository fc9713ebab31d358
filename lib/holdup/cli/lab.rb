# frozen_string_literal: true

module Holdup
  class CLI
    # Experiments with real processes on this machine, by name: `holdup lab sidekiq-vcpu`.
    class Lab
      SUMMARIES = {
        "sweep" => "your server with one setting after the other",
        "jobs" => "Sidekiq at each concurrency, beside the prediction",
        "check" => "a gate for CI: did an endpoint get worse?",
        "jit" => "your server with YJIT off, on at boot, on after boot",
        "sidekiq-vcpu" => "why CPU % halves when the vCPUs double"
      }.freeze
      LOADERS = {
        "jobs" => -> {
          Jobs
        },
        "check" => -> {
          Check
        },
        "jit" => -> {
          Jit
        },
        "sidekiq-vcpu" => -> {
          SidekiqVcpu
        },
        "sweep" => -> {
          Sweep
        }
      }.freeze

      # Takes the name of the experiment off and gives the rest to its own options.
      Arguments = Data.define(:console) do
        # @param argv [Array<String>]
        # @return [Hash{Symbol => Object}]
        # @raise [UsageError]
        def parse(argv)
          name, *rest = argv
          return overview(argv) if name.nil? || name.start_with?("-")
          command = LOADERS.fetch(name) {
            raise UsageError.new(
              "lab has no experiment #{name[0, 100].inspect}", Lab.hint(name)
            )
          }.call
          values = command.options(console).parse(rest)
          values.key?(:help) ? values : {experiment: command, values:}
        end

        private

        def overview(argv)
          values = Options.new("holdup lab EXPERIMENT [options]").parse(argv)
          raise UsageError.new("lab needs the name of an experiment", Lab.hint) unless values.key?(:help)
          {help: [values[:help],
            *SUMMARIES.map { |name, summary| "    holdup lab #{name.ljust(12)} #{summary}" }].join("\n")}
        end
      end

      def self.options(console) = Arguments.new(console:)

      # @param name [String, nil] as it was typed
      # @return [String] what to do
      def self.hint(name = nil)
        (name && Queries::OptionValues::NearestName.hint(name, LOADERS.keys)) || "it is one of #{LOADERS.keys.join(", ")}"
      end

      # @param console [Console]
      # @param experiment [Class] the command of one experiment
      # @param values [Hash{Symbol => Object}] its keywords
      def initialize(console:, experiment:, values:)
        @command = experiment.new(console:, **values)
      end

      # @return [Integer] exit status
      def run = @command.run
    end
  end
end
