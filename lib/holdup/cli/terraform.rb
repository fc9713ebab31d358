# frozen_string_literal: true

module Holdup
  class CLI
    # Prints a `.tf.json` file, from which Terraform makes metrics, alarms and a dashboard.
    class Terraform
      LOG_GROUP = %r{\A[\w.\-/#]{1,512}\z}
      REGION = /\A[a-z]{2}(-[a-z]+)+-\d\z/
      NAME = /\A[\w.-]{1,100}\z/
      FORMATS = %i[json emf].freeze

      def self.options(_console)
        Options.new("holdup terraform [options] > holdup.tf.json") do |parser, values|
          parser.on("--log-group NAME", "where the lines are; else Terraform asks") do |text|
            values[:log_group] =
              matching("--log-group", text, LOG_GROUP, "a log group's name, such as /ecs/shop")
          end
          parser.on("--region REGION", "of the dashboard; else Terraform asks") do |text|
            values[:region] = matching("--region", text, REGION, "a region, such as eu-central-1")
          end
          parser.on("--namespace NS", "of the metrics (Holdup, or Holdup/APP)") do |text|
            values[:namespace] = namespace(text)
          end
          parser.on("--app NAME", "only lines of this application") do |text|
            values[:app] = matching("--app", text, NAME, "a name of letters, digits, _, . and -")
          end
          parser.on("--server NAME", "only lines of this server: puma, sidekiq ...") do |text|
            values[:server] = matching("--server", text, /\A[\w.+-]{1,100}\z/, "a server, such as puma")
          end
          parser.on("--memory MIB", "alarm when a process takes more (1024)") do |text|
            values[:memory_mib] = Queries::OptionValues.whole("--memory", text, 16..1_048_576)
          end
          parser.on("--format FORMAT", "of the lines: json (the default) or emf") do |text|
            values[:format] = Queries::OptionValues.choice("--format", text, FORMATS)
          end
        end
      end

      def self.matching(option, text, pattern, expected)
        return text if pattern.match?(text)
        raise UsageError.new("#{option} can't be #{text[0, 100].inspect}", "it takes #{expected}")
      end

      # By the rule of `config.stats_log`.
      def self.namespace(text)
        return text if ConfigurationKeys::Types::StatsLog.new.valid?({namespace: text})
        raise UsageError.new("--namespace can't be #{text[0, 100].inspect}",
          "it takes letters, digits and . - _ / # :, and does not start with AWS/")
      end
      private_class_method :matching, :namespace

      # @param values [Hash{Symbol => Object}] of Holdup::Terraform::AlarmPlan
      # @raise [UsageError] CloudWatch would not find the metrics, or options contradict each other
      def initialize(console:, **values)
        @console = console
        check(**values.slice(:format, :log_group, :server))
        @plan = Holdup::Terraform::AlarmPlan.new(**values)
      end

      def run
        @console.out.write(Holdup::Terraform.write(@plan))
        OK
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
