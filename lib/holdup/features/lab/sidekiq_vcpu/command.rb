# frozen_string_literal: true

module Holdup
  module Lab
    class SidekiqVcpu
      # Why CPU % halves when the vCPUs are doubled, shown with a real Sidekiq and Redis.
      class Command
        SECONDS = (0.1..600)
        DEFAULT_SECONDS = 5
        REPEATS = (1..100)
        DEFAULT_REPEATS = 2
        PERCENT = (1..100)
        DEFAULT_TARGET = 60

        extend CLI::CommandArguments

        OPTIONS = CLI::Options.new("holdup lab sidekiq-vcpu [options]", [
          Queries::Option.seconds("--seconds N", SECONDS, "of CPU for one job, about (#{DEFAULT_SECONDS})"),
          Queries::Option.whole("--repeat N", REPEATS,
            "runs of each experiment; the fastest counts (#{DEFAULT_REPEATS})", key: :repeats),
          Queries::Option.text("--redis-url URL", "a Redis to use; else a private one is started"),
          Queries::Option.whole("--autoscale-target P", PERCENT, "CPU % to compare with (#{DEFAULT_TARGET})",
            key: :target),
          *CLI::Formats.names(%i[json]),
          CLI::Options::LANGUAGE
        ])

        # @param seconds [Numeric] approximate time of one job alone
        # @param repeats [Integer] runs of each experiment
        # @param target [Integer] percent of the container's CPU
        # @param lab [#new] Holdup::Lab::SidekiqVcpu
        def initialize(console:, seconds: DEFAULT_SECONDS, repeats: DEFAULT_REPEATS, target: DEFAULT_TARGET,
          redis_url: nil, format: :text, language: nil, lab: Holdup::Lab::SidekiqVcpu)
          @console = console
          @words = View::Words.new(language || CLI::Places.language(console.env))
          @format = format
          @repeats = repeats
          @lab = lab.new(seconds:, repeats:, target: target.fdiv(100), redis_url:, env: console.env.to_h,
            progress: method(:progress))
        end

        def run
          result = @lab.call
          @console.clear
          @console.show((@format == :json) ? json(result) : rendered(result))
          CLI::OK
        end

        private

        def rendered(result)
          page = Holdup::Lab::SidekiqVcpu::Report.new(result, words: @words).page
          CLI::Formats.render(page, format: @format, console: @console, words: @words)
        end

        def json(result)
          Holdup::Lab::SidekiqVcpu::Report::Json.new(result, words: @words).call
        end

        def progress(experiment, number)
          @console.pass(@words.call(:lab_progress, number:, repeats: @repeats,
            experiment: @words.call(:"lab_#{experiment.name}")))
        end
      end
    end
  end
end
