# frozen_string_literal: true

module Holdup
  module Export
    # Prints a `.tf.json` file, from which Terraform makes metrics, alarms and a dashboard.
    class TerraformCommand
      LOG_GROUP = %r{\A[\w.\-/#]{1,512}\z}
      REGION = /\A[a-z]{2}(-[a-z]+)+-\d\z/
      NAME = /\A[\w.-]{1,100}\z/
      SERVER = /\A[\w.+-]{1,100}\z/
      FORMATS = %i[json emf].freeze

      extend CLI::CommandArguments

      # `pattern`: that a text has to match; `expected`: what it takes, in words
      MatchingText = Data.define(:pattern, :expected) do
        include Queries::OptionTypes::Plain

        def read(option, text, _now_s)
          return text if pattern.match?(text)
          raise UsageError.new("#{option} can't be #{text[0, 100].inspect}", "it takes #{expected}")
        end
      end

      # The rule is that of `config.stats_log`.
      NamespaceType = Data.define do
        include Queries::OptionTypes::Plain

        def read(option, text, _now_s)
          return text if ConfigurationKeys::Types::StatsLog.new.valid?({namespace: text})
          raise UsageError.new("#{option} can't be #{text[0, 100].inspect}",
            "it takes letters, digits and . - _ / # :, and does not start with AWS/")
        end
      end

      OPTIONS = CLI::Options.new("holdup terraform [options] > holdup.tf.json", [
        Queries::Option.declare("--log-group NAME",
          MatchingText.new(pattern: LOG_GROUP, expected: "a log group's name, such as /ecs/shop"),
          "where the lines are; else Terraform asks"),
        Queries::Option.declare("--region REGION",
          MatchingText.new(pattern: REGION, expected: "a region, such as eu-central-1"),
          "of the dashboard; else Terraform asks"),
        Queries::Option.declare("--namespace NS", NamespaceType.new,
          "of the metrics (Holdup, or Holdup/APP)"),
        Queries::Option.declare("--app NAME",
          MatchingText.new(pattern: NAME, expected: "a name of letters, digits, _, . and -"),
          "only lines of this application"),
        Queries::Option.declare("--server NAME",
          MatchingText.new(pattern: SERVER, expected: "a server, such as puma"),
          "only lines of this server: puma, sidekiq ..."),
        Queries::Option.whole("--memory MIB", 16..1_048_576, "alarm when a process takes more (1024)",
          key: :memory_mib),
        Queries::Option.choice("--format FORMAT", FORMATS, "of the lines: json (the default) or emf")
      ])

      # @param values [Hash{Symbol => Object}] of Holdup::Export::Terraform::AlarmPlan
      # @raise [UsageError] CloudWatch would not find the metrics, or options contradict each other
      def initialize(console:, **values)
        @console = console
        check(**values.slice(:format, :log_group, :server))
        @plan = Terraform::AlarmPlan.new(**values)
      end

      def run
        @console.show(Terraform.write(@plan))
        CLI::OK
      end

      private

      def check(format: :json, log_group: nil, server: nil)
        return if format == :json
        if log_group
          raise UsageError.new("--log-group has no use with --format emf",
            "such lines need no filter; leave it out")
        end
        unless server
          raise UsageError.new("--format emf needs --server",
            "the server is a dimension of these metrics: --server puma, and --app where config.app is set")
        end
      end
    end
  end
end
