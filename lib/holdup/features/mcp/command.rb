# frozen_string_literal: true

require "json"
require "stringio"

module Holdup
  module Mcp
    # A Model Context Protocol server on standard input and output: assistants ask what the commands answer.
    # All tools only read, and all of them read the store that the server was started with.
    class Command
      NAME = "holdup"
      GEM = "mcp"
      INSTRUCTIONS = "Holdup measures where requests and jobs of Ruby processes spend their time, above " \
        "all how long they wait for the GVL (stalled), who causes that, and how many threads and processes " \
        "fit. Begin with blame or report. Durations are integer nanoseconds (_ns), shares 0.0 to 1.0. The " \
        "resource holdup://vocabulary explains each word."

      extend CLI::CommandArguments

      OPTIONS = CLI::Options.new("holdup mcp [options]", [CLI::Options::STORE, CLI::Options::LANGUAGE])

      # @param store [String, nil] URL or path; nil: where the collector keeps it
      # @param language [String, nil] of the sentences
      def initialize(console:, store: nil, language: nil)
        @console = console
        @tools = McpTools.new(console, store:, language: language || CLI::Places.language(console.env))
      end

      # @return [Integer] exit status, when the client has closed the input
      # @raise [Error] the gem is missing
      def run
        load_gem
        server = ::MCP::Server.new(name: NAME, title: "Holdup", version: VERSION, instructions: INSTRUCTIONS,
          resources: [vocabulary])
        server.resources_read_handler { |params| read(params[:uri]) }
        McpTools::TOOLS.each { |tool| define(server, tool) }
        ::MCP::Server::Transports::StdioTransport.new(server).open
        CLI::OK
      end

      private

      # Optional, and loaded by no other command.
      def load_gem
        require GEM
      rescue LoadError => error
        raise unless error.path == GEM
        raise Error.new("holdup mcp needs the gem #{GEM}, which is not installed here",
          "run `gem install #{GEM}`, or add `gem \"#{GEM}\"` to the Gemfile that holdup is started with")
      end

      def define(server, tool)
        tools = @tools
        annotations = {read_only_hint: true, destructive_hint: false, idempotent_hint: true,
                       open_world_hint: false}
        server.define_tool(name: tool.name, description: tool.description, input_schema: tool.input_schema,
          annotations:) do |**arguments|
          answer = tools.call(tool, arguments.except(:server_context)) # which the gem adds
          ::MCP::Tool::Response.new([{type: "text", text: answer.text}], error: answer.failed)
        end
      end

      def vocabulary
        ::MCP::Resource.new(uri: Vocabulary::URI, name: "vocabulary", title: "What Holdup's words mean",
          mime_type: "text/markdown")
      end

      def read(uri)
        raise ::MCP::Server::ResourceNotFoundError.new(uri) unless uri == Vocabulary::URI
        [{uri:, mimeType: "text/markdown", text: Vocabulary.text}]
      end

      # docs/vocabulary.md, which is part of the gem.
      module Vocabulary
        URI = "holdup://vocabulary"
        PATH = File.expand_path("../../../../docs/vocabulary.md", __dir__)

        def self.text = File.read(PATH, encoding: Encoding::UTF_8)
      end

      # A tool: a command of the command line, run inside this process.
      #
      # - `command`: its words
      # - `arguments`: {Symbol => Hash}, each a JSON Schema; nil: the options that it offers
      #   assistants
      # - `purposes`: of these options, nil for any
      McpTool = Data.define(:name, :description, :command, :arguments, :purposes) do
        def initialize(name:, description:, command:, arguments: nil, purposes: nil)
          arguments ||= offered(command.first, purposes)
          super
        end

        def input_schema = {type: "object", properties: arguments, additionalProperties: false}

        # With "=", so that no value can be read as another option.
        # @return [Array<String>] options of the command line
        def options(given)
          given.flat_map do |name, value|
            option = "--#{name.to_s.tr("_", "-")}"
            Array(value).map { |one| "#{option}=#{one}" }
          end
        end

        private

        def offered(command, purposes)
          options = CLI::Registry.fetch(command).command::OPTIONS.ordered.select(&:tool)
          options = options.select { |option| purposes.include?(option.purpose) } if purposes
          options.to_h { |option| [option.name.tr("-", "_").to_sym, option.schema] }
        end
      end

      # The tools, each a command of the command line, run inside this process.
      class McpTools
        # `text`: JSON, or a sentence that says what went wrong and what to do
        ToolAnswer = Data.define(:text, :failed)

        # What a client has to hold in memory, and a model has to read.
        LARGEST = 2_000_000
        BLAME = %w[schema from to by uncollected verdict pairs].freeze
        BLAMED = %w[name kind queue count stalled_ns caused_ns].freeze
        BLAME_TOTALS = %w[count stalled_ns caused_ns handoff_ns accounts].freeze

        TOOLS = [
          McpTool.new(
            name: "report", command: %w[report --json],
            description: "Where the time of requests and jobs went: verdict, totals, a row for each name, " \
              "who stalled whom, processes, JIT. Large; blame is shorter. " \
              "Keys: docs/schema/report.json."
          ),
          McpTool.new(
            name: "blame", command: %w[report --json --sort=caused],
            description: "Who kept others waiting for the GVL: the verdict, pairs of causer and victim, " \
              "and each request and job with what it stalled and caused, most caused first.",
            purposes: %i[selection]
          ),
          McpTool.new(
            name: "advise", command: %w[advise --json],
            description: "How many threads, processes and job slots to run: verdict, self-test, " \
              "candidates, findings with evidence, change and risk."
          ),
          McpTool.new(
            name: "whatif", command: %w[whatif --json],
            description: "What another setting, load or mix would do, replayed next to the current one. " \
              "At least one change is needed."
          ),
          McpTool.new(
            name: "compare", command: %w[compare --json],
            description: "What a change did, with confidence intervals: give before and after, or by " \
              "(and values), or two revisions."
          ),
          McpTool.new(
            name: "timeline", command: %w[timeline],
            description: "Captures of every GVL event of some seconds. Without a capture: which are kept. " \
              "With one: its threads, requests and jobs, and methods (keys: docs/capture-file.md). With " \
              "unit: the story of one request or job, as text: each wait, and who held the GVL meanwhile.",
            arguments: {
              capture: {type: "string", description: "id of a kept capture"},
              unit: {type: "string", description: "id of a request or job in it, slowest or caught"},
              periods: {type: "boolean", description: "also each period of each thread, and stacks: large"}
            }
          )
        ].freeze

        # @param console [CLI::Console] for the environment and the time
        def initialize(console, store:, language:)
          @console = console
          @always = [*(store && ["--store=#{store}"]), "--lang=#{language}"]
          @captures = -> { CLI::Places.archive(console.env, store) }
        end

        # @param tool [McpTool]
        # @param arguments [Hash{Symbol => Object}] already checked against the tool's schema
        # @return [ToolAnswer]
        def call(tool, arguments)
          case tool.name
          when "timeline" then timeline(tool, **arguments)
          when "blame" then blame(run(tool.command + tool.options(arguments)))
          else command(tool.command + tool.options(arguments))
          end
        end

        private

        def command(words) = bounded(run(words))

        # @return [ToolAnswer] what the command prints; its errors say what to do
        def run(words)
          out = StringIO.new
          err = StringIO.new
          status = CLI.new(console: @console.with(out:, err:)).run([*words, *@always])
          raise SignalException, status - CLI::SIGNALED if status > CLI::SIGNALED
          (status == CLI::OK) ? ToolAnswer.new(text: out.string, failed: false) : failed(err.string.chomp)
        end

        def bounded(answer)
          size = answer.text.bytesize
          return answer if size <= LARGEST
          failed("the answer has #{View::Figures.bytes(size)}, too much for one answer; choose a shorter " \
            "time, fewer names, or one unit of a capture")
        end

        def blame(answer)
          return answer if answer.failed
          report = JSON.parse(answer.text)
          rows = report.fetch("series").map { |row| row.slice(*BLAMED) }
          totals = report.fetch("totals").slice(*BLAME_TOTALS)
          facts = {**report.slice(*BLAME), "totals" => totals, "series" => rows}
          bounded(answer.with(text: JSON.generate(facts)))
        end

        # Only kept captures: a path would open any file of this user.
        def timeline(tool, **choice)
          chosen_timeline(tool, **choice)
        rescue UsageError => error # there is no folder for captures
          failed(error.message)
        end

        def chosen_timeline(tool, capture: nil, unit: nil, periods: false)
          return capture_missing(unit) unless capture
          unless @captures.call.find(capture)
            return failed("no capture is called #{capture[0, 100].inspect}; without arguments the tool " \
              "lists them")
          end
          return command([*tool.command, capture, "--unit=#{unit}"]) if unit
          answer = run([*tool.command, capture, "--export=json"])
          (answer.failed || periods) ? bounded(answer) : answer.with(text: without_periods(answer.text))
        end

        def capture_missing(unit)
          unit ? failed("unit needs a capture; without both the tool lists captures") : kept
        end

        def without_periods(text)
          document = JSON.parse(text)
          threads = document.fetch("threads").map { |thread| thread.except("periods", "collections") }
          JSON.generate(document.except("frames", "stacks", "samples").merge("threads" => threads))
        end

        def failed(sentence) = ToolAnswer.new(text: "#{sentence}\n", failed: true)

        def kept
          captures = @captures.call.kept.map do |one|
            process = one.header&.process_name
            {id: one.id, pid: one.header&.pid, process:, events: one.events, facts: one.facts}
          end
          ToolAnswer.new(text: JSON.generate({schema: 1, captures:}), failed: false)
        end
      end
    end
  end
end
