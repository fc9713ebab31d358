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
        "resource holdup://vocabulary explains each word, and holdup://keys/report the keys of report."

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
          resources: McpResource.all.map { |resource| offered(resource) })
        server.resources_read_handler { |params| read(params[:uri]) }
        McpTools.all.each { |tool| define(server, tool) }
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

      def offered(resource)
        ::MCP::Resource.new(uri: resource.uri, name: resource.name, title: resource.title,
          mime_type: "text/markdown")
      end

      def read(uri)
        resource = McpResource.all.find { |one| one.uri == uri }
        raise ::MCP::Server::ResourceNotFoundError.new(uri) unless resource
        [{uri:, mimeType: "text/markdown", text: resource.text}]
      end

      # A page of the guide, or a part of one, which explains answers. Both files are part of the gem.
      McpResource = Data.define(:name, :title, :text) do
        # @return [Array<McpResource>] the vocabulary, and the keys of each tool
        def self.all
          tools = McpTools.all.map(&:name)
          parts = page("reference/json.md").split(/^(?=## )/)
          keys = parts.to_h { |part| [part[/\A## What (?:holdup|the tool) (\w+)/, 1], part] }.slice(*tools)
          keys = keys.map do |tool, text|
            new(name: "keys/#{tool}", title: "Keys of what #{tool} answers", text:)
          end
          [new(name: "vocabulary", title: "What Holdup's words mean", text: page("vocabulary.md")), *keys]
        end

        def self.page(path) = File.read("#{CLI::GuidePages::FOLDER}/#{path}", encoding: Encoding::UTF_8)
        private_class_method :page

        def uri = "holdup://#{name}"
      end

      # A tool: a command of the command line, run inside this process.
      #
      # - `command`: its words; `arguments`: {Symbol => Hash}, each a JSON Schema
      # - `answering`: what makes its answer, nil: the command does
      McpTool = Data.define(:name, :description, :command, :arguments, :answering) do
        # @param listed [Features::Listed] of a FeatureContents::ToolEntry
        def self.of(listed)
          entry = listed.entry
          answering = listed.load if entry.constant
          arguments = answering::ARGUMENTS if answering&.const_defined?(:ARGUMENTS)
          arguments ||= offered(entry.command.first, entry.purposes)
          new(**entry.to_h.slice(:name, :description, :command), arguments:, answering:)
        end

        # @return [Hash{Symbol => Hash}] the options that a command offers assistants
        def self.offered(command, purposes)
          options = CLI::Registry.fetch(command).command::OPTIONS.ordered.select(&:tool)
          options = options.select { |option| purposes.include?(option.purpose) } if purposes
          options.to_h { |option| [option.name.tr("-", "_").to_sym, option.schema] }
        end
        private_class_method :offered

        def input_schema = {type: "object", properties: arguments, additionalProperties: false}

        # With "=", so that no value can be read as another option.
        # @return [Array<String>] options of the command line
        def options(given)
          given.flat_map do |name, value|
            option = "--#{name.to_s.tr("_", "-")}"
            Array(value).map { |one| "#{option}=#{one}" }
          end
        end
      end

      # The tools of all features, each a command of the command line, run inside this process.
      class McpTools
        # `text`: JSON, or a sentence that says what went wrong and what to do
        ToolAnswer = Data.define(:text, :failed)

        # What a client has to hold in memory, and a model has to read.
        LARGEST = 2_000_000

        # @return [Array<McpTool>]
        def self.all = Features.tools.values.map { |listed| McpTool.of(listed) }

        # @param console [CLI::Console] for the environment and the time
        def initialize(console, store:, language:)
          @console = console
          @language = "--lang=#{language}"
          @store = store
        end

        # @param tool [McpTool]
        # @param arguments [Hash{Symbol => Object}] already checked against the tool's schema
        # @return [ToolAnswer]
        def call(tool, arguments)
          return bounded(run(tool.command + tool.options(arguments))) unless tool.answering
          tool.answering.call(self, tool, **arguments)
        end

        # @return [Capture::Archive]
        # @raise [UsageError] there is no folder for captures
        def captures = CLI::Places.archive(@console.env, @store)

        # @return [ToolAnswer] what the command prints; its errors say what to do
        def run(words)
          out = StringIO.new
          err = StringIO.new
          status = CLI.new(console: @console.with(out:, err:)).run([*words, *always(words.first)])
          raise SignalException, status - CLI::SIGNALED if status > CLI::SIGNALED
          (status == CLI::OK) ? ToolAnswer.new(text: out.string, failed: false) : failed(err.string.chomp)
        end

        # @param command [String] some commands read the processes of this host, and no store
        # @return [Array<String>] options of every call
        def always(command)
          reads_store = CLI::Registry.fetch(command).command::OPTIONS.only("store").any?
          [*("--store=#{@store}" if @store && reads_store), @language]
        end
        private :always

        # @return [ToolAnswer] the answer, or that it is too large
        def bounded(answer)
          size = answer.text.bytesize
          return answer if size <= LARGEST
          failed("the answer has #{View::Figures.bytes(size)}, too much for one answer; choose a shorter " \
            "time, fewer names, or one unit of a capture")
        end

        # @param facts [Hash]
        # @return [ToolAnswer]
        def answer(facts) = ToolAnswer.new(text: JSON.generate(facts), failed: false)

        # @param sentence [String] what went wrong and what to do
        # @return [ToolAnswer]
        def failed(sentence) = ToolAnswer.new(text: "#{sentence}\n", failed: true)
      end
    end
  end
end
