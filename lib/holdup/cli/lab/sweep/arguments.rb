# frozen_string_literal: true

require_relative "../../../lab/requests"
require_relative "../../../lab/sweep/ledger"
require_relative "../../../reports/words"
require_relative "../../options"
require_relative "../../values"

module Holdup
  class CLI
    class Lab
      class Sweep
        # Reads the arguments of `holdup lab sweep` to a ledger: a new one by the plan that they describe, or one to go on with.
        Arguments = Data.define(:now_s) do
          # @return [Hash{Symbol => Object}] keywords of Sweep
          # @raise [UsageError]
          def parse(argv)
            values = Options.new("holdup lab sweep --threads 1,3,5 --rate N --url PATH [options] -- COMMAND", rest: :command) { |parser, read| declare(parser, read) }.parse(argv)
            return values if values.key?(:help)
            given = values.keys - self.class::OUTPUT
            ledger = values[:resume] ? resumed(values, given) : Holdup::Lab::Sweep::Ledger.new(File.expand_path(values.fetch(:out) { file_name }), plan(values))
            {ledger:, **values.slice(*self.class::OUTPUT)}
          end

          private

          def declare(parser, values)
            settings(parser, values)
            load(parser, values)
            spans(parser, values)
            output(parser, values)
          end

          def settings(parser, values)
            parser.on("--threads N,N", "of each process, to try") { |text| values[:threads] = numbers("--threads", text) }
            parser.on("--processes P,P", "to try") { |text| values[:processes] = numbers("--processes", text) }
            parser.on("--yjit on,off", "to try, from the start of Ruby on") { |text| values[:yjit] = text.split(",").map { |part| Values.choice("--yjit", part, %i[on off]) == :on }.uniq }
            parser.on("--slice TIME,TIME", "time slices to try (Ruby 3.4 and later): 10ms,100ms") { |text| values[:slices] = text.split(",").map { |part| slice(part) }.uniq }
            parser.on("--baseline PxT", "the setting as it is now (the first of each list)") { |text| values[:baseline] = text }
          end

          def load(parser, values)
            parser.on("--rate N", "requests per second") { |text| values[:rates] = rates("--rate", text) }
            parser.on("--ladder N,N,N", "rates to climb until it is too much") { |text| values[:ladder] = rates("--ladder", text) }
            parser.on("--url PATH", "a request, such as /orders; also several times") { |text| (values[:urls] ||= []) << text }
            parser.on("--requests FILE", "one a line: 10 GET /products") { |text| values[:requests] = text }
            parser.on("--port N", "where the command listens, if it doesn't take $PORT or {port}") { |text| values[:port] = Values.whole("--port", text, 1..65_535) }
          end

          def spans(parser, values)
            parser.on("--seconds N", "of each measurement (20)") { |text| values[:seconds] = Values.seconds("--seconds", text, 1..3600) }
            parser.on("--rounds N", "of all settings (2)") { |text| values[:rounds] = Values.whole("--rounds", text, 1..100) }
            parser.on("--warm-up N", "seconds at most before a measurement (45)") { |text| values[:warm_up_s] = Values.seconds("--warm-up", text, 1..3600) }
            parser.on("--slo WHAT", "the promise: p95=300ms; a rate beyond it is too much") { |text| values[:slo] = slo(text) }
          end

          def output(parser, values)
            parser.on("--out FILE", "where everything is kept (holdup-sweep-TIME.json)") { |text| values[:out] = text }
            parser.on("--resume FILE", "go on with what a sweep left") { |text| values[:resume] = text }
            parser.on("--store URL", "a store that gets the measurements as well") { |text| values[:store] = text }
            parser.on("--json", "for programs") { values[:json] = true }
            parser.on("--lang LANG", Reports::Words::LANGUAGES.keys.join(" or ")) { |text| values[:language] = text }
          end

          def numbers(option, text) = text.split(",").map { |part| Values.whole(option, part.strip, 1..1000) }.uniq

          def slice(text) = Values.duration("--slice", text.strip).tap { |ns| refuse("--slice", text, "a time from 1ms to 1s") unless (1_000_000..1_000_000_000).cover?(ns) }

          def rates(option, text)
            text.split(",").map { |part| Float(part, exception: false).tap { |rate| refuse(option, text, "requests per second above 0") unless rate&.positive? && rate <= 100_000 } }.uniq.sort
          end

          def slo(text) = text.tap { Analysis::Sizing::Slo.parse(text) || refuse("--slo", text, "a percentile from p50 on and a time, such as p95=300ms") }

          def refuse(option, text, takes) = raise(UsageError.new("#{option} can't be #{text[0, 100].inspect}", "it takes #{takes}"))

          def resumed(values, given)
            others = given - %i[resume command]
            raise UsageError.new("--resume goes on as it was begun", "leave out the other options and the command") if others.any? || values[:command].any?
            Holdup::Lab::Sweep::Ledger.open(values[:resume])
          end

          def plan(values)
            check(values)
            arms = arms(values)
            Holdup::Lab::Sweep::Plan.new(command: values[:command], root: Dir.pwd, requests: requests(values), arms: Holdup::Lab::Sweep::Plan.ordered(arms, baseline(values[:baseline], arms)),
              rates: values[:ladder] || values[:rates], **self.class::SPANS, **values.slice(*self.class::SPANS.keys, :port, :slo))
          end

          def check(values)
            raise UsageError.new("lab sweep needs the command of a server", "end with it: -- bundle exec puma -p {port}") if values[:command].empty?
            raise UsageError.new("there is nothing to try", "give --threads, --processes, --yjit or --slice") if (values.keys & %i[threads processes yjit slices]).empty?
            raise UsageError.new("lab sweep needs one load", "give either --rate or --ladder") unless values.key?(:rates) ^ values.key?(:ladder)
          end

          def arms(values)
            [values[:processes] || [nil], values[:threads] || [nil], values[:yjit] || [nil], values[:slices] || [nil]]
              .then { |first, *rest| first.product(*rest) }.map { |processes, threads, yjit, time_slice_ns| Holdup::Lab::Arm.new(processes:, threads:, yjit:, time_slice_ns:) }
          end

          def baseline(text, arms)
            return arms.first unless text
            size = text.match(/\A(\d+)x(\d+)\z/)&.captures&.map(&:to_i)
            arms.find { |arm| [arm.processes || 1, arm.threads] == size } || refuse("--baseline", text, "processes x threads of a setting that is tried, such as 1x5")
          end

          def requests(values)
            lines = [*values[:urls], *(Holdup::Lab::Requests.read(values[:requests]) if values[:requests])]
            lines.tap { Holdup::Lab::Requests.routes(lines) }
          end

          def file_name = "holdup-sweep-#{Time.at(now_s).strftime("%Y%m%d-%H%M%S")}.json"
        end

        Arguments::SPANS = {seconds: 20, rounds: 2, warm_up_s: 45}.freeze
        # What is not of the plan.
        Arguments::OUTPUT = %i[store json language].freeze
      end
    end
  end
end
