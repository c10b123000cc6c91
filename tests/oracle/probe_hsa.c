/*
 * probe_hsa - what does ROCr answer to a code object?
 *
 * Reads questions of mode "hsa" whose input is a file below the working directory:
 * hsa_executable_load_agent_code_object() for each agent of the host.
 */
#include "question.h"

#include <hsa/hsa.h>
#include <stdlib.h>
#include <string.h>

#define TRIPLE "amdgcn-amd-amdhsa--"

struct agents {
    const struct question *question;
    hsa_agent_t list[QUESTION_AGENTS];
};

static hsa_status_t take_isa(hsa_isa_t isa, void *name)
{
    return hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name);
}

/* By name: ROCr leaves out an agent that it does not know. */
static hsa_status_t take_agent(hsa_agent_t agent, void *arg)
{
    struct agents *agents = arg;
    char name[256] = { 0 };
    hsa_device_type_t type;

    if (hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) != HSA_STATUS_SUCCESS ||
        type != HSA_DEVICE_TYPE_GPU)
        return HSA_STATUS_SUCCESS;
    hsa_agent_iterate_isas(agent, take_isa, name);
    for (size_t i = 0; i < agents->question->agent_count; i++)
        if (strcmp(name + strlen(TRIPLE), agents->question->agents[i]) == 0)
            agents->list[i] = agent;
    return HSA_STATUS_SUCCESS;
}

static void load(struct board *board, hsa_agent_t agent, const void *bytes, size_t size)
{
    hsa_code_object_reader_t reader;
    hsa_executable_t executable;
    hsa_status_t status;

    board_do(board, "reader");
    status = hsa_code_object_reader_create_from_memory(bytes, size, &reader);
    if (status != HSA_STATUS_SUCCESS) {
        board_done(board, "0x%x", status);
        return;
    }
    board_do(board, "load");
    status = hsa_executable_create_alt(
        HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL, &executable);
    if (status != HSA_STATUS_SUCCESS)
        abort();
    status = hsa_executable_load_agent_code_object(executable, agent, reader, NULL, NULL);
    board_done(board, "0x%x", status);
    hsa_executable_destroy(executable);
    hsa_code_object_reader_destroy(reader);
}

static void answer(const struct question *question, struct board *board)
{
    struct agents agents = { .question = question };
    size_t size;
    void *bytes = question_read(question->input, &size);

    board_do(board, "init");
    if (!bytes || hsa_init() != HSA_STATUS_SUCCESS)
        abort();
    hsa_iterate_agents(take_agent, &agents);
    for (; board->agent < question->agent_count; board->agent++) {
        board_do(board, "agent");
        if (agents.list[board->agent].handle)
            load(board, agents.list[board->agent], bytes, size);
        else
            board_done(board, "absent", 0);
    }
}

int main(void)
{
    return question_answer_all(answer);
}
